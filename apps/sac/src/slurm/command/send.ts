/**
 * send: the last look at a job, and then exactly one command, or none.
 *
 * In the loop   plan → journal → apply → **this, in a child process** → Outcome
 * Takes         a Command and its Fence, or several about different jobs; what plan saw may be seconds old by now.
 * Gives         `moved` when Slurm or the fence says something else than expected, or could not be read: nothing was sent.
 * Writes        Slurm, at most once a job.
 * Keeps         invariant 4: restart count, submit time, state, and what else the plan depended on, are read again, and what was read
 *               is at most `readAgeMaxMs` old when the command is sent.
 * Bound         the read `readAgeMaxMs` (an older one authorises nothing), the command `commandLimitMs`; of several `commandsAtOnceMax` at the same
 *               time, `commandsPerSecondMax` begun in a second.
 */
import { expandHostlist } from "@reprise/core/fact/hostlist.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { parseOutcome, isUnknownJob, readFailure } from "../parse-stderr.ts";
import { isUnset, parseCount, parseInstant } from "../parse-value.ts";
import type { Command, Expected, Fence, Order, Outcome } from "../slurm.ts";
import { type CommandLine, commandLine } from "./command-line.ts";
import type { FenceLevel } from "./fence-file.ts";
import { createPace } from "./pace.ts";
import type { Runner } from "./run.ts";

export interface Deps {
  readonly run: Runner;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  /** The level of the fence file; absent when nobody has raised one. Throws a `Refusal` when it cannot be read. */
  readonly readFence: () => FenceLevel | undefined;
  /** Why nothing new may be sent now: people have stopped it. Read last of all. */
  readonly whyStopped: () => string | undefined;
}

/** The few columns that name an attempt; none of them is a user's text. */
const identity = ["JobID", "ArrayJobID", "ArrayTaskID", "State", "restartcnt", "SubmitTime", "PriorityLong"];
/** Asked where the view had it: an older squeue does not know it. */
const key = "SLUID";
/** ExcNodeList is no column of `-O` on 22.05. */
const exclusions = ["%A", "%K", "%x"];

export async function send(deps: Deps, command: Command, fence: Fence): Promise<Outcome> {
  let outcome: Outcome | undefined;
  await sendAll(deps, [{ command, fence }], (_i, told) => void (outcome = told));
  return outcome ?? { kind: "unknown", detail: "nobody said what became of it" };
}

/**
 * @param orders  Each about another job: what is read of a job is read before any of them is sent.
 * @param told    Called once for each, as soon as its outcome is known.
 */
export async function sendAll(
  deps: Deps,
  orders: readonly Order[],
  told: (index: number, outcome: Outcome) => void,
): Promise<void> {
  const lines = orders.map(({ command, fence }) => commandLine(command, fence.expected));
  const readAt = deps.clock.now();
  const read = await readJobs(deps, orders);
  const mayBegin = createPace(deps.clock, limits.commandsPerSecondMax);
  let next = 0;
  const work = async () => {
    for (let i = next++; i < orders.length; i = next++) {
      const [order, line] = [orders[i], lines[i]];
      if (order === undefined || line === undefined) return;
      if ("outcome" in read) told(i, read.outcome);
      else told(i, await sendOne({ ...deps, mayBegin }, order.fence, order.command, line, read, readAt));
    }
  };
  await Promise.all(Array.from({ length: Math.min(limits.commandsAtOnceMax, orders.length) }, work));
}

async function sendOne(
  deps: Deps & { readonly mayBegin: () => Promise<void> },
  fence: Fence,
  command: Command,
  { program, args }: CommandLine,
  read: Listed,
  readAt: Instant,
): Promise<Outcome> {
  const { run, clock, env } = deps;
  await deps.mayBegin();
  const difference = compare(read, fence.expected) ?? overtaken(deps, fence);
  if (difference !== undefined) return moved(difference);
  const ageMs = clock.now() - readAt;
  // Below zero: the clock was set back, and nobody knows how old it is.
  if (ageMs < 0 || ageMs > limits.readAgeMaxMs)
    return moved(`the job was read ${ageMs} ms ago, at most ${limits.readAgeMaxMs} ms are allowed`);
  const begins = command.kind === "requeue-hold" || command.kind === "cancel";
  if (begins && fence.leaseUntil !== undefined && clock.now() >= fence.leaseUntil)
    return moved("the lease has run out");
  if (begins && fence.ordersUntil !== undefined && clock.now() >= fence.ordersUntil)
    return moved("what people have ordered about the cluster was read too long ago");
  const stopped = begins ? deps.whyStopped() : undefined;
  if (stopped !== undefined) return moved(stopped);
  return parseOutcome(await run(program, args, { limitMs: limits.commandLimitMs, env }));
}

interface Listed {
  /** By the name of the job, or task. */
  readonly rows: ReadonlyMap<string, readonly string[][]>;
  /** `123/N/A`, `97/1`: its ExcNodeList. */
  readonly excluded: ReadonlyMap<string, string>;
}

/** One listing for all of them; two where exclusions count. An outcome: nothing is sent. */
async function readJobs({ run, env }: Deps, orders: readonly Order[]): Promise<Listed | { readonly outcome: Outcome }> {
  const all = orders.map(({ fence }) => fence.expected);
  const names = all.map(({ jobId }) => jobId).join(",");
  const list = (...format: string[]) =>
    run("squeue", ["-a", "-h", "-r", "-t", "all", "-j", names, ...format], { limitMs: limits.readAgeMaxMs, env });
  const columns = all.some(({ sluid }) => sluid !== undefined) ? [...identity, key] : identity;
  const [read, excluded] = await Promise.all([
    list("-O", columns.map((name) => `${name}:|`).join(",")),
    all.some(({ excludedNodes }) => excludedNodes !== undefined) ? list("-o", exclusions.join("|")) : undefined,
  ]);
  if (isUnknownJob(read)) return { outcome: { kind: "refused", code: "gone", detail: "Invalid job id specified" } };
  const failure = readFailure(read) ?? (excluded === undefined ? undefined : readFailure(excluded));
  if (failure !== undefined) return { outcome: moved(`the job could not be read, nothing was sent: ${failure}`) };
  const rows = new Map<string, string[][]>();
  for (const row of rowsOf(read.stdout)) {
    const [recordId = "", arrayId = "", taskId] = row;
    const name = taskId === "N/A" ? recordId : `${arrayId}_${taskId}`;
    rows.set(name, [...(rows.get(name) ?? []), row]);
  }
  const lists = rowsOf(excluded?.stdout ?? "").map(
    ([record, task, nodes = ""]) => [`${record}/${task}`, nodes] as const,
  );
  return { rows, excluded: new Map(lists) };
}

const rowsOf = (stdout: string) => stdout.split("\n").map((line) => line.split("|"));
const moved = (detail: string): Outcome => ({ kind: "moved", detail });

/** What Slurm shows otherwise; `undefined` when it is the attempt that plan saw, in a state that it allowed. */
function compare({ rows, excluded }: Listed, expected: Expected): string | undefined {
  const ours = rows.get(expected.jobId) ?? [];
  const [row] = ours;
  if (row === undefined || ours.length > 1) return `Slurm shows ${ours.length} rows of job ${expected.jobId}`;
  const [recordId, , taskId, state = "", restartCount = "", submitTime = "", priority = "", sluid = ""] = row;
  if (parseCount(restartCount) !== expected.restartCount)
    return `restart count is ${restartCount}, expected ${expected.restartCount}`;
  if (parseInstant(submitTime) !== expected.submitAt)
    return `submit time is ${submitTime}, expected ${expected.submitAt / 1000}`;
  if (expected.sluid !== undefined && sluid !== expected.sluid)
    return `its key is ${sluid}, expected ${expected.sluid}`;
  if (!expected.states.includes(state)) return `state is ${state}, expected ${expected.states.join(" or ")}`;
  if (expected.isHeld !== undefined && (parseCount(priority) === 0) !== expected.isHeld)
    return `priority is ${priority}, expected ${expected.isHeld ? "0" : "another than 0"}`;
  return compareExclusions(excluded.get(`${recordId}/${taskId}`), expected.excludedNodes);
}

function compareExclusions(listed: string | undefined, expected: Expected["excludedNodes"]): string | undefined {
  if (expected === undefined) return undefined;
  if (listed === undefined) return `its excluded nodes could not be read, expected ${expected.join(", ")}`;
  const now = isUnset(listed) ? [] : expandHostlist(listed);
  return now?.toSorted().join() === expected.toSorted().join()
    ? undefined
    : `excluded nodes are ${listed || "none"}, expected ${expected.join(", ") || "none"}`;
}

/** Read last: whoever gained the lease or raised the epoch meanwhile has the word. */
function overtaken({ readFence }: Deps, fence: Fence): string | undefined {
  try {
    const level = readFence();
    if (level === undefined) return undefined;
    if (level.leaseTerm > fence.leaseTerm)
      return `lease term is ${level.leaseTerm}, the command has ${fence.leaseTerm}`;
    return level.epoch > fence.epoch ? `epoch is ${level.epoch}, the command has ${fence.epoch}` : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
