/**
 * settings: what one worker of the training program is told, by its environment.
 *
 * Takes   TRAIN_* (what to train) and SLURM_* (who I am among the others). TRAIN_RANK, TRAIN_WORLD_SIZE, TRAIN_NODE and
 *         TRAIN_NODE_INDEX, TRAIN_LOCAL_RANK, TRAIN_ATTEMPT stand in for Slurm's where there is no Slurm.
 * Pure    total but for the error.
 * Fails   an Error that names the key, the value and what was expected.
 */
export const faultKinds = ["ecc", "exit", "signal", "hang", "nan", "slow"] as const;
export type FaultKind = (typeof faultKinds)[number];

/** One entry of the fault plan: the first rank of `node` does it, before it gives its gradients of `step`. */
export interface Fault {
  /** SLURM_RESTART_COUNT; 0 is the first. */
  readonly attempt: number;
  /** An index into the job's own nodes, or a name. A name that the job does not have does nothing. */
  readonly node: number | string;
  readonly step: number;
  readonly kind: FaultKind;
}

export interface Settings {
  readonly dir: string;
  readonly steps: number;
  readonly checkpointEvery: number;
  readonly seed: number;
  /** Samples of one step, over all ranks. The work of a step grows with it. */
  readonly globalBatch: number;
  /** A rank takes at least so long for its gradient, as an accelerator does whatever the CPUs have to do besides (ms). */
  readonly stepMs: number;
  readonly hidden: number;
  readonly faults: readonly Fault[];
  /** The same for all ranks of one start, and for no other. */
  readonly runId: string;
  /** Where rank 0 listens and the others find it. */
  readonly address: string;
  readonly rank: number;
  readonly worldSize: number;
  readonly localRank: number;
  readonly node: string;
  readonly nodeIndex: number;
  readonly attempt: number;
  /** A training on a real cluster has its nodes to itself; here it shares the CPUs with what watches it. */
  readonly niceness: number;
}

export function parseSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const text = (...keys: string[]) => {
    for (const key of keys) if (env[key] !== undefined && env[key] !== "") return env[key];
    throw new Error(`${keys[0]}: missing, expected a value`);
  };
  const integer = (fallback: number | undefined, min: number, ...keys: string[]) => {
    const key = keys.find((one) => env[one] !== undefined && env[one] !== "");
    if (key === undefined && fallback !== undefined) return fallback;
    const value = Number(key === undefined ? Number.NaN : env[key]);
    if (!Number.isInteger(value) || value < min)
      throw new Error(`${key ?? keys[0]}: ${env[key ?? ""] ?? "missing"}, expected an integer of at least ${min}`);
    return value;
  };
  return {
    dir: text("TRAIN_DIR"),
    steps: integer(200, 1, "TRAIN_STEPS"),
    checkpointEvery: integer(20, 1, "TRAIN_CHECKPOINT_EVERY"),
    seed: integer(7, 0, "TRAIN_SEED"),
    globalBatch: integer(8192, 1, "TRAIN_GLOBAL_BATCH"),
    stepMs: integer(0, 0, "TRAIN_STEP_MS"),
    hidden: integer(64, 1, "TRAIN_HIDDEN"),
    faults: parseFaults(env["TRAIN_FAULTS"] ?? "[]"),
    runId: text("TRAIN_RUN_ID"),
    address: env["TRAIN_ADDRESS"] ?? "127.0.0.1",
    rank: integer(undefined, 0, "TRAIN_RANK", "SLURM_PROCID"),
    worldSize: integer(undefined, 1, "TRAIN_WORLD_SIZE", "SLURM_NTASKS"),
    localRank: integer(undefined, 0, "TRAIN_LOCAL_RANK", "SLURM_LOCALID"),
    node: text("TRAIN_NODE", "SLURMD_NODENAME"),
    nodeIndex: integer(undefined, 0, "TRAIN_NODE_INDEX", "SLURM_NODEID"),
    attempt: integer(0, 0, "TRAIN_ATTEMPT", "SLURM_RESTART_COUNT"),
    niceness: integer(10, 0, "TRAIN_NICE"),
  };
}

/** @param json  `[{"attempt": 0, "node": 1, "step": 57, "kind": "ecc"}]` */
export function parseFaults(json: string): Fault[] {
  let plan: unknown;
  try {
    plan = JSON.parse(json);
  } catch (error) {
    throw new Error(`TRAIN_FAULTS: ${json}, expected JSON`, { cause: error });
  }
  if (!Array.isArray(plan)) throw new Error(`TRAIN_FAULTS: ${json}, expected a list`);
  return plan.map((entry: Partial<Fault>, i) => {
    const { attempt, node, step, kind } = entry ?? {};
    const isCount = (value: unknown, min: number): value is number =>
      Number.isInteger(value) && (value as number) >= min;
    if (!isCount(attempt, 0))
      throw new Error(`TRAIN_FAULTS[${i}].attempt: ${attempt}, expected an integer of at least 0`);
    if (typeof node !== "string" && !isCount(node, 0))
      throw new Error(`TRAIN_FAULTS[${i}].node: ${node}, expected a node's index or name`);
    if (!isCount(step, 1)) throw new Error(`TRAIN_FAULTS[${i}].step: ${step}, expected an integer of at least 1`);
    if (kind === undefined || !faultKinds.includes(kind))
      throw new Error(`TRAIN_FAULTS[${i}].kind: ${kind}, expected one of ${faultKinds.join(", ")}`);
    return { attempt, node, step, kind };
  });
}

/** What this rank has to do wrong in this step, if anything. `slow` lasts from its step on; the others happen once. */
export function faultNow(settings: Settings, step: number): FaultKind | undefined {
  const { faults, attempt, node, nodeIndex, localRank } = settings;
  if (localRank !== 0) return undefined;
  const mine = faults.filter((fault) => fault.attempt === attempt && (fault.node === node || fault.node === nodeIndex));
  return (mine.find((fault) => fault.step === step) ?? mine.find((fault) => fault.kind === "slow" && fault.step < step))
    ?.kind;
}
