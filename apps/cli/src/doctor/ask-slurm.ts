/**
 * ask-slurm: what Slurm says of itself, of our rights, and of its jobs, in the same words and columns in which SAC asks.
 *
 * Keeps   nothing is changed. Our rights are asked by orders about a node and a reservation that do not exist: slurmctld looks
 *         at who asks before it looks at what for. (It logs a refused one as a security violation.)
 * Bound   `commandLimitMs` a command; `logsMax` log files.
 * Source  the answers were measured on 22.05.8: "Invalid user id" for one who may not, "Invalid node name specified" and
 *         "Requested reservation is invalid" for one who may; 23.11 and later say "Access/permission denied" (their source).
 */
import { hasEnded, isRunning } from "@reprise/core/fact/slurm-state.ts";
import type { Instant, Seen, SlurmJob } from "@reprise/core/nouns.ts";
import type { Pass } from "@reprise/sac/slurm/slurm.ts";
import type { Runner } from "@reprise/sac/slurm/command/run.ts";
import { logPathsOf } from "@reprise/watcher/log-paths.ts";
import { type Found, found, notFound } from "./found.ts";
import { canRead } from "./machine.ts";

/** Slurm's own clients give up after 10 s (MessageTimeout). */
export const commandLimitMs = 25_000;
const logsMax = 20;
/** Nobody's node and nobody's reservation. */
const nobody = "reprise-doctor-asks";

export type Ask = (program: string, args: readonly string[]) => Promise<Found<string>>;

export interface Rights {
  /** To requeue, hold, release and cancel the jobs of others: an operator's. */
  readonly mayAct: Found<boolean>;
  /** To write AdminComment, where a hold is marked: root's and SlurmUser's. */
  readonly mayMark: Found<boolean>;
}

/** One look as SAC takes it, and what it needs of it. */
export interface Looked {
  readonly jobs: number;
  /** Rows that could not be read. */
  readonly unreadable: number;
  readonly partitions: readonly string[];
  /** Pending jobs that wait for others by Slurm's own `--dependency`. */
  readonly dependents: number;
  /** Log files of running jobs, some of them, and whether this user can read each. */
  readonly logs: readonly { readonly path: string; readonly isReadable: Found<true> }[];
  /** When the last job ended that Slurm still knows. */
  readonly lastEndAt?: Instant;
}

export function askBy(run: Runner, env: Readonly<Record<string, string>>): Ask {
  return async (program, args) => {
    const { rc, stdout, stderr, timedOut } = await run(program, args, { limitMs: commandLimitMs, env });
    if (rc === 0) return found(stdout.trim());
    // The last line is the one that says why; those before it are the ways that it tried.
    const words = stderr.trim().split("\n").at(-1) || stdout.trim().split("\n").at(-1) || `exit code ${rc}`;
    return notFound(timedOut ? `no answer within ${commandLimitMs / 1000} s` : words);
  };
}

export async function askRights(ask: Ask): Promise<Rights> {
  const [node, reservation] = await Promise.all([
    ask("scontrol", ["update", `NodeName=${nobody}`, "State=RESUME"]),
    ask("scontrol", ["delete", `ReservationName=${nobody}`]),
  ]);
  return { mayAct: readRight(reservation), mayMark: readRight(node) };
}

/** What slurmctld answers to an order about something that is not there. */
export function readRight(answer: Found<string>): Found<boolean> {
  if (answer.kind === "found") return notFound("slurmctld did something with a name that nobody has");
  if (/invalid user id|permission denied/i.test(answer.why)) return found(false);
  if (/invalid node name|reservation is invalid|invalid reservation/i.test(answer.why)) return found(true);
  return notFound(answer.why);
}

export function readLook(seen: Seen<Pass>): Found<Looked> {
  if (seen.kind !== "seen") return notFound(seen.kind === "unavailable" ? seen.why : "Slurm listed nothing");
  const jobs = [...seen.value.jobs.values()];
  const logs = jobs.filter(isRunning).flatMap(filesOf);
  // One that never started has ended without Slurm's calling the script.
  const ends = jobs.filter(hasEnded).flatMap(({ startAt, endAt }) => (startAt === undefined ? [] : (endAt ?? [])));
  return found({
    jobs: jobs.length,
    unreadable: seen.value.unreadable.size,
    partitions: [...new Set([...seen.value.nodes.values()].flatMap(({ partitions }) => partitions))],
    dependents: jobs.filter(({ dependency = "" }) => /after(ok|any|notok|corr|burstbuffer)?:/.test(dependency)).length,
    logs: [...new Set(logs)].slice(0, logsMax).map((path) => ({ path, isReadable: canRead(path) })),
    ...(ends.length === 0 ? {} : { lastEndAt: Math.max(...ends) }),
  });
}

/** Slurm's stdout and stderr of a running job, as the watcher finds them. */
function filesOf(job: SlurmJob): readonly string[] {
  const { jobId, name, nodes, stdout = "", stderr = "", workDir = "", recordId, user } = job;
  const { arrayJobId = "", arrayTaskId = "" } = job;
  const slurm = { stdout, stderr, workDir, recordId, user, arrayJobId, arrayTaskId };
  const named = logPathsOf({ jobId, jobName: name, nodes, slurm, logPaths: [] });
  return named.flatMap((log) => (log.kind === "path" ? [log.path] : []));
}
