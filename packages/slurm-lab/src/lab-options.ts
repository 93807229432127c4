/**
 * lab-options: what a lab is asked for, made whole.
 *
 * Takes   `LabOptions`: every key may be absent.
 * Gives   a `LabPlan`: every key set, every value checked, in the units of its name.
 * Pure    total but for the refusal.
 * Fails   a `LabRefusal` that names the key, the value and what was expected.
 */

/** An expected no of the lab: what is missing or wrong, and what to do about it. Anything else thrown is a bug. */
export class LabRefusal extends Error {
  readonly code: "invalid" | "precondition" | "unavailable";
  constructor(code: LabRefusal["code"], message: string) {
    super(message);
    this.name = "LabRefusal";
    this.code = code;
  }
}

export interface LabPartition {
  readonly name: string;
  /** Slurm's node expression, such as `n[1-2]`; `ALL` when absent. */
  readonly nodes?: string;
}

export interface LabOptions {
  /** Absolute, and short: munged's socket in it must fit the 108 bytes of a socket address. Absent: a new private folder in the system's temporary one. */
  readonly dir?: string;
  readonly nodes?: number;
  /** Fake GPUs of each node. */
  readonly gpus?: number;
  /** slurmctld listens here and node i on base + i, up to base + nodes. Absent: a block that is free now. */
  readonly portBase?: number;
  /** A requeued job may not start for so many seconds and one more. Slurm's default, and ours, is 120; 5 is the least that works. */
  readonly credExpireSeconds?: number;
  /** Between SIGTERM and SIGKILL of a job. */
  readonly killWaitSeconds?: number;
  /** A finished job is forgotten after this; until then it can be requeued. */
  readonly minJobAgeSeconds?: number;
  /** A silent node is DOWN after about this. Small values also take down nodes when slurmctld or munge pauses. */
  readonly slurmdTimeoutSeconds?: number;
  /** How often slurmctld looks for jobs to start, beside its events. */
  readonly schedIntervalSeconds?: number;
  /** An executable that slurmctld runs when a job ends (`JobCompType=jobcomp/script`). */
  readonly jobCompScript?: string;
  /** The first is the default partition. */
  readonly partitions?: readonly LabPartition[];
  /** `Key=Value` lines for slurm.conf. A key of ours is replaced, NodeName and PartitionName lines are added. */
  readonly extraConf?: readonly string[];
  /** slurmdbd beside it, which knows these users as Operators. Absent: none, and only root and the jobs' owners may act. */
  readonly accounting?: { readonly operators: readonly string[] };
  /** A second slurmctld beside the first (`backup.ts`). */
  readonly backup?: boolean;
  /** Where programs are looked for, as in PATH. */
  readonly path?: string;
}

/** An option set, whole. Written to `lab.json` in the lab's folder. */
export type LabPlan = Required<Omit<LabOptions, "dir" | Maybe>> & Pick<LabOptions, Maybe> & { readonly dir: string };
type Maybe = "portBase" | "jobCompScript" | "accounting";

/** The longest socket path that Linux takes, with its closing zero left out. */
const socketPathBytesMax = 107;
const nodesMax = 500;

const bounds = {
  nodes: [1, nodesMax],
  gpus: [1, 64],
  portBase: [1024, 65_535 - nodesMax],
  credExpireSeconds: [5, 86_400],
  killWaitSeconds: [1, 3600],
  minJobAgeSeconds: [2, 86_400],
  slurmdTimeoutSeconds: [5, 86_400],
  schedIntervalSeconds: [1, 600],
} as const;

/** @throws LabRefusal `invalid` */
export function planLab(options: LabOptions & { readonly dir: string }): LabPlan {
  const plan: LabPlan = {
    nodes: 4,
    gpus: 8,
    credExpireSeconds: 120,
    killWaitSeconds: 3,
    minJobAgeSeconds: 300,
    slurmdTimeoutSeconds: 300,
    schedIntervalSeconds: 1,
    partitions: [{ name: "gpu" }],
    extraConf: [],
    backup: false,
    path: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ...options,
  };
  for (const [key, [min, max]] of Object.entries(bounds)) {
    const value = plan[key as keyof typeof bounds];
    if (value === undefined) continue;
    if (!Number.isInteger(value) || value < min || value > max) {
      throw new LabRefusal("invalid", `${key}: ${value} is not an integer from ${min} to ${max}`);
    }
  }
  checkPath("dir", plan.dir);
  const socket = mungeSocketIn(plan.dir);
  if (Buffer.byteLength(socket) > socketPathBytesMax) {
    throw new LabRefusal(
      "invalid",
      `dir: ${socket} is longer than the ${socketPathBytesMax} bytes of a socket path; choose a shorter folder`,
    );
  }
  if (plan.jobCompScript !== undefined) checkPath("jobCompScript", plan.jobCompScript);
  const stranger = plan.accounting?.operators.find((user) => !/^[a-z_][a-z0-9_-]*$/.test(user));
  if (stranger !== undefined)
    throw new LabRefusal("invalid", `accounting.operators: ${JSON.stringify(stranger)} is not the name of a user`);
  if (plan.partitions.length === 0) throw new LabRefusal("invalid", "partitions: none given, at least one is needed");
  for (const line of plan.extraConf) {
    if (!/^[A-Za-z]\w*=[^\n]+$/.test(line))
      throw new LabRefusal("invalid", `extraConf: ${JSON.stringify(line)} is not Key=Value`);
  }
  return plan;
}

export const mungeSocketIn = (dir: string) => `${dir}/munge/munge.socket`;
export const slurmConfIn = (dir: string) => `${dir}/etc/slurm.conf`;
/** slurmdbd looks for it beside slurm.conf. */
export const slurmdbdConfIn = (dir: string) => `${dir}/etc/slurmdbd.conf`;
export const databaseSocketIn = (dir: string) => `${dir}/db.socket`;
export const nodeNames = (plan: LabPlan) => Array.from({ length: plan.nodes }, (_, i) => `n${i + 1}`);

/** slurm.conf has no quotes, and `%n` in a path is a pattern. */
function checkPath(key: string, path: string): void {
  if (!/^\/[\w./-]*$/.test(path))
    throw new LabRefusal(
      "invalid",
      `${key}: ${JSON.stringify(path)} is not an absolute path of letters, digits and ._-/`,
    );
}
