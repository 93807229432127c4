/**
 * port: the contract `Slurm` of SAC and the watchdog over this model, and the programs behind it.
 *
 * In the loop   **look** → view → plan → **apply** → look again
 * Gives         `look` and `holdReasons` as values straight from the records; `applyAll` by the real `sendAll`, whose squeue and scontrol are
 *               answered here. The same as `createCommandSlurm` over `runner` (tested), and 100 times as fast.
 */
import { limits } from "@reprise/core/limits.ts";
import { madeOnce } from "@reprise/core/made-once.ts";
import type { Instant, Seen, SlurmJob } from "@reprise/core/nouns.ts";
import { commandLine } from "@reprise/sac/slurm/command/command-line.ts";
import type { Ran, Runner } from "@reprise/sac/slurm/command/run.ts";
import { sendAll } from "@reprise/sac/slurm/command/send.ts";
import { readFailure } from "@reprise/sac/slurm/parse-stderr.ts";
import { createRestfulLook, type Outline, type Whole } from "@reprise/sac/slurm/rest.ts";
import type { SlurmSettings } from "@reprise/sac/slurm/parse-config.ts";
import { applyOver, type HoldReason, type Outcome, type Slurm } from "@reprise/sac/slurm/slurm.ts";
import type { Door, Request } from "./door.ts";
import type { Garble } from "./garble.ts";
import type { Ledger } from "./ledger.ts";
import { requeueDelayMs } from "./leaving.ts";
import { sinfo, squeue } from "./listing.ts";
import { nameOf } from "./record.ts";
import type { Rows } from "./rows.ts";
import { show, shownBlind } from "./show.ts";
import type { Answered, Caller } from "./sim-slurm.ts";
import type { Terminal } from "./terminal.ts";
import { words } from "./words.ts";

export interface PortDeps {
  readonly ledger: Ledger;
  readonly rows: Rows;
  readonly door: Door;
  readonly garble: Garble;
  readonly terminal: Terminal;
  /** What is due is done first. */
  readonly catchUp: () => void;
}

const nothing: Answered = { rc: 0, stdout: "", stderr: "" };
const cutShort = "the listing of the jobs was cut";

export function createRunnerFor(deps: PortDeps): (caller: Pick<Caller, "user" | "clock">) => Runner {
  const { ledger, rows, door, garble, terminal, catchUp } = deps;
  return ({ user = "root", clock }) =>
    (program, args, { limitMs }) => {
      const act = (): Answered => {
        catchUp();
        switch (program) {
          case "squeue": {
            const listed = squeue(ledger, args, garble.shown);
            return garble.isCut ? { ...listed, stdout: listed.stdout.slice(0, -3) } : listed;
          }
          case "sinfo":
            return sinfo(rows.nodes(), args);
          case "scontrol":
          case "scancel":
            if (args[0] === "show") return show(ledger, args.slice(1));
            return terminal(user, program, args);
          default:
            throw new Error(`${program} is not in this model`);
        }
      };
      const changes = (program === "scontrol" && args[0] !== "show") || program === "scancel";
      const failed = (how: "down" | "paused") => {
        const stdout = shownBlind(ledger, args);
        if (stdout !== undefined) return { rc: 0, stdout, stderr: "" };
        return changes ? refused(`${words.unexpected} for job ${args.at(-1) ?? ""}\n`) : unreachable(how);
      };
      return door.ask({ changes, act, failed }, limitMs, clock);
    };
}

const refused = (stderr: string): Answered => ({ rc: 1, stdout: "", stderr });

const unreachable = (how: "down" | "paused"): Answered =>
  refused(
    how === "down"
      ? "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"
      : "slurm_load_jobs error: Socket timed out on send/recv operation\n",
  );

export function createSlurmFor(deps: PortDeps): (caller: Caller) => Slurm {
  const { ledger, rows, door, garble, catchUp } = deps;
  const runnerFor = createRunnerFor(deps);
  return (caller) => {
    const { clock, readFence, whyStopped } = caller;
    const run = runnerFor(caller);
    /** Takes a value where the programs would print it. */
    const read = async <T>(take: () => T, at: Instant): Promise<Seen<T>> => {
      let taken: T | undefined;
      const act = () => {
        catchUp();
        taken = take();
        return nothing;
      };
      const request: Request = { changes: false, act, failed: unreachable };
      const ran: Ran = await door.ask(request, limits.commandLimitMs, clock);
      const why = readFailure(ran);
      if (why !== undefined || taken === undefined) return { kind: "unavailable", why: why ?? "no answer", at };
      return { kind: "seen", value: taken, at };
    };
    const applyAll: Slurm["applyAll"] = async (orders) => {
      for (const { command, fence } of orders) commandLine(command, fence.expected); // Refuses here what the child would refuse.
      const outcomes = orders.map((): Outcome => ({ kind: "unknown", detail: "nobody said what became of it" }));
      const deps = { run, clock, env: {}, readFence, whyStopped };
      await sendAll(deps, orders, (i, outcome) => void (outcomes[i] = outcome));
      return outcomes;
    };
    /** All jobs are listed. */
    const list = async <T>(take: () => T): Promise<Seen<T>> => {
      const at = clock.now();
      if (garble.isCut && door.state === "up") return { kind: "unavailable", why: cutShort, at };
      return read(take, at);
    };
    let last: { readonly of: ReadonlyMap<string, SlurmJob>; readonly outline: Outline } | undefined;
    const outline = (): Outline => {
      const of = rows.jobs();
      if (garble.isOn) return outlineOfRows([...of.values()].map(garble.shown));
      if (last?.of !== of) last = { of, outline: outlineOfRows([...of.values()]) };
      return last.outline;
    };
    const whole = (): Whole => {
      const [of, settings] = [ledger.settings.cluster, settingsOf(ledger)];
      return { pass: { cluster: of, nodes: rows.nodes(), settings, ...garble.sort(rows.jobs()) }, outline: outline() };
    };
    return {
      look: createRestfulLook({ whole: () => list(whole), outline: () => list(outline), clock }),
      async holdReasons(jobIds) {
        const at = clock.now();
        if (jobIds.length === 0) return { kind: "seen", value: new Map(), at };
        return read(() => reasonsOf(ledger, new Set(jobIds)), at);
      },
      apply: applyOver(applyAll),
      applyAll,
    };
  };
}

/** What `outlineColumns` of squeue say. */
const outlineOfRows = (rows: readonly SlurmJob[]): Outline => rows.map(lineOfRow).join("\n");

const lineOfRow = madeOnce(({ jobId, recordId, state, reason, restartCount, priority, submitAt, nodes }: SlurmJob) =>
  [jobId, recordId, state, reason, restartCount, priority, submitAt, nodes.join()].join("\0"),
);

/** As `scontrol show config` says it. */
function settingsOf(ledger: Ledger): SlurmSettings {
  const { settings, release, bootedAt } = ledger;
  return { cluster: settings.cluster, version: release.version, requeueDelayMs: requeueDelayMs(ledger), bootedAt };
}

function reasonsOf(ledger: Ledger, wanted: ReadonlySet<string>): ReadonlyMap<string, HoldReason> {
  const reasons = new Map<string, HoldReason>();
  for (const job of ledger.jobs.values()) {
    const names =
      job.arrayJobId !== undefined && job.taskId === undefined
        ? job.unsplit.map((task) => `${job.arrayJobId}_${task}`)
        : [nameOf(job)];
    for (const name of names) if (wanted.has(name)) reasons.set(name, reasonOf(job));
  }
  return reasons;
}

function reasonOf({ reason, priority }: { readonly reason: string; readonly priority: number }): HoldReason {
  if (reason === "JobHeldUser") return "user";
  if (reason === "JobHeldAdmin") return "admin";
  return priority === 0 ? "other" : "none";
}
