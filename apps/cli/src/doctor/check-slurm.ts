/**
 * check-slurm: our rights in Slurm, and what its jobs mean for recovery. Pure.
 *
 * Source  which right each step needs was measured on 22.05: an operator may requeue, constrain, hold and release; only root
 *         and SlurmUser may write AdminComment.
 */
import { type Check, fail, ok, warn } from "./check.ts";
import type { Facts } from "./facts.ts";

export function checkRights(
  { rights: { mayAct, mayMark }, user, wanted }: Facts,
  settings: ReadonlyMap<string, string>,
): readonly Check[] {
  const owner = (settings.get("SlurmUser") ?? "SlurmUser").replace(/\(.*$/, "");
  const name = "rights";
  if (mayAct.kind === "not-found" || mayMark.kind === "not-found") {
    const why = [mayAct, mayMark].flatMap((right) => (right.kind === "not-found" ? [right.why] : [])).join("; ");
    return [warn(name, `of ${user} are not known: ${why}`, `Run as root or ${owner} for act mode.`)];
  }
  const seesAll = checkSight(user, mayAct.value, settings.get("PrivateData") ?? "");
  const short = wanted.mode === "act" ? fail : warn;
  if (!mayAct.value) {
    const todo = `Run SAC and the watchdog as root or ${owner} for act mode.`;
    return [short(name, `${user} may watch; Slurm lets it not act on the jobs of others`, todo), ...seesAll];
  }
  if (!mayMark.value) {
    return [
      warn(
        name,
        `${user} may act on all jobs, but not write AdminComment: the journal alone says whose hold it is`,
        `Run SAC and the watchdog as root or ${owner}, or keep the journal safe.`,
      ),
    ];
  }
  return [ok(name, `${user} may act on all jobs, and mark them`)];
}

function checkSight(user: string, isOperator: boolean, privateData: string): readonly Check[] {
  if (isOperator || !privateData.split(",").includes("jobs")) return [];
  return [
    fail(
      "sight",
      `PrivateData has "jobs": ${user} sees its own jobs only`,
      "Run as root, SlurmUser or an operator: what is not seen cannot be recovered.",
    ),
  ];
}

export function checkJobs({ looked, wanted, user }: Facts): readonly Check[] {
  if (looked.kind === "not-found") {
    return [fail("look at Slurm", looked.why, "SAC looks in the same way: it would see nothing, and do nothing.")];
  }
  const { jobs, unreadable, partitions, dependents, logs } = looked.value;
  const missing = wanted.partitions.filter((partition) => !partitions.includes(partition));
  const closed = logs.flatMap(({ path, isReadable }) =>
    isReadable.kind === "not-found" ? [{ path, why: isReadable.why }] : [],
  );
  const [first] = closed;
  return [
    unreadable === 0
      ? ok("look at Slurm", `${jobs} jobs, ${partitions.length} partitions`)
      : warn(
          "look at Slurm",
          `${unreadable} of ${jobs + unreadable} jobs cannot be read`,
          "They are left alone. SAC's log names them and says why.",
        ),
    ...(missing.length === 0
      ? []
      : [
          fail(
            "partitions",
            `${missing.join(", ")} not in this Slurm, which has ${partitions.join(", ")}`,
            "Correct `partitions`: SAC acts only where a partition's name is exactly there.",
          ),
        ]),
    ...(dependents === 0
      ? []
      : [
          warn(
            "dependents",
            `${dependents} pending jobs wait by Slurm's own --dependency; Slurm may decide about them before a failed parent is brought back`,
            "Let authors use dag_dependencies where recovery restarts the parent (docs/job-authors.md).",
          ),
        ]),
    ...(first === undefined
      ? logs.length === 0
        ? []
        : [ok("log files", `${logs.length} of running jobs can be read by ${user}`)]
      : [
          warn(
            "log files",
            `${closed.length} of ${logs.length} looked at cannot be read by ${user}: ${first.path}: ${first.why}`,
            "Run the watcher where the logs are mounted, as a user who may read them.",
          ),
        ]),
  ];
}
