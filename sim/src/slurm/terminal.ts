/**
 * terminal: `scontrol …` and `scancel …` as they are typed, and what they answer.
 *
 * Takes    the arguments that SAC, users and operators use: requeue, requeuehold, hold, uhold, release, suspend, resume, update of a job
 *          or a node; scancel of one job.
 * Gives    rc, and slurmctld's words as each program prints them.
 * Fails    throws on what this model has not got: a world that asks for it is mistaken.
 * Source   slurm.md §2.2; parse-stderr.test.ts; seen on 22.05.8.
 */
import * as commands from "./commands.ts";
import type { Parts, Refused } from "./commands.ts";
import type { Machines } from "./machines.ts";
import type { JobRecord } from "./record.ts";
import { personOf, type Person } from "./rights.ts";
import type { Answered } from "./sim-slurm.ts";
import { find, showTasks, tasksOf, wholeOf } from "./tasks.ts";
import { updatableKeys, update } from "./update.ts";
import { words } from "./words.ts";

export interface TerminalDeps extends Parts {
  readonly machines: Machines;
}

export type Terminal = (user: string, program: "scontrol" | "scancel", args: readonly string[]) => Answered;

type Act = (job: JobRecord) => Refused;

const ok: Answered = { rc: 0, stdout: "", stderr: "" };
const said = (rc: number, stderr: string): Answered => ({ rc, stdout: "", stderr: `${stderr}\n` });

export function createTerminal(deps: TerminalDeps): Terminal {
  const { ledger } = deps;
  /** scontrol's way to speak of one job, of one task, and of an array's tasks that fared differently. */
  const forJob = (name: string, act: Act, aftermath = false): Answered => {
    const jobs = find(ledger, name, { splits: true });
    const isOfTask = name.includes("_");
    const refused = jobs.length === 0 ? [words.unknownJob] : jobs.map(act);
    refuse(name, jobs, refused);
    const kinds = [...new Set(refused)];
    const [only] = kinds;
    if (kinds.length === 1 && only === undefined) return ok;
    const isArray = jobs.some((job) => job.arrayJobId !== undefined);
    if (isOfTask) return said(1, `${name}: ${only}`);
    if (isArray) return said(1, ofTasks(name, jobs, refused));
    return said(1, `${only} for job ${name}${aftermath ? `\nslurm_suspend error: ${only}` : ""}`);
  };
  const refuse = (name: string, jobs: readonly JobRecord[], refused: readonly Refused[]) =>
    refused.forEach((why, i) => {
      if (why !== undefined) ledger.tell("refused", "slurm", `${name}: ${why}`, jobs[i]);
    });

  const updated = (person: Person, args: readonly string[]): Answered => {
    const pairs = args.map((arg) => {
      const at = arg.indexOf("=");
      return [arg.slice(0, at).toLowerCase(), arg.slice(at + 1)] as const;
    });
    const [[subject, name] = ["", ""], ...changes] = pairs;
    if (subject === "nodename") return nodeUpdated(deps, person, name, new Map(changes));
    const unknown = changes.find(([key]) => !updatableKeys.has(key));
    if (unknown !== undefined)
      return said(1, `Update of this parameter is not supported: ${args[pairs.indexOf(unknown)]}\nRequest aborted`);
    // The ID of a heterogeneous job means all its components; `12+0` the first alone.
    const isWhole = ledger.jobs.get(Number(name))?.hetJobId === Number(name);
    const each = (job: JobRecord) => (isWhole ? wholeOf(ledger, job) : [job]);
    return forJob(name, (job) =>
      each(job)
        .map((part) => update(deps, person, part, new Map(changes)))
        .find((refused) => refused !== undefined),
    );
  };

  const scontrol = (person: Person, [verb = "", ...args]: readonly string[]): Answered => {
    const [name = ""] = args.slice(-1);
    const has = (flag: string) => args.slice(0, -1).includes(flag);
    switch (verb) {
      case "requeue":
      case "requeuehold": {
        const flags = {
          holds: verb === "requeuehold",
          incomplete: has("Incomplete"),
          specialExit: has("State=SpecialExit"),
        };
        return forJob(name, (job) => commands.requeue(deps, person, job, flags));
      }
      case "hold":
      case "uhold":
        return forJob(name, (job) => commands.hold(deps, person, job, verb === "uhold"), true);
      case "release":
        return forJob(name, (job) => commands.release(deps, person, job), true);
      case "suspend":
        if (find(ledger, name, { splits: false }).length === 0) return said(1, `${words.unexpected} for job ${name}`);
        return forJob(name, (job) => commands.suspend(deps, person, job));
      case "resume":
        return forJob(name, (job) => commands.resume(deps, person, job));
      case "update":
        return updated(person, args);
      default:
        throw new Error(`scontrol ${verb} is not in this model`);
    }
  };
  const scancel = (person: Person, name: string): Answered => {
    const jobs = find(ledger, name, { splits: true });
    const refused = jobs.map((job) => commands.cancel(deps, person, job));
    refuse(name, jobs, refused);
    const why = refused.find((one) => one !== undefined);
    const rc = why === words.denied ? 210 : 1;
    return why === undefined ? ok : said(rc, `scancel: error: Kill job error on job id ${name}: ${why}`);
  };
  return (user, program, args) => {
    const person = personOf(ledger.settings, user);
    return program === "scontrol" ? scontrol(person, args) : scancel(person, args.at(-1) ?? "");
  };
}

/** `21_0,3: Job is pending execution`, a line for each kind of answer, in the order of the lowest task. */
function ofTasks(name: string, jobs: readonly JobRecord[], refused: readonly Refused[]): string {
  const tasksBy = new Map<string, number[]>();
  const sorted = jobs.map((job, i) => ({ tasks: tasksOf(job), why: refused[i] ?? words.none }));
  sorted.sort((a, b) => (a.tasks[0] ?? 0) - (b.tasks[0] ?? 0));
  for (const { tasks, why } of sorted) tasksBy.set(why, [...(tasksBy.get(why) ?? []), ...tasks]);
  return [...tasksBy].map(([why, tasks]) => `${name}_${showTasks(tasks)}: ${why}`).join("\n");
}

function nodeUpdated(
  { ledger, machines }: TerminalDeps,
  person: Person,
  name: string,
  changes: ReadonlyMap<string, string>,
) {
  const node = ledger.nodes.get(name);
  if (!person.isRoot) return said(1, `slurm_update error: ${words.wrongUser}`);
  if (node === undefined) return said(1, `slurm_update error: ${words.unknownNode}`);
  const state = changes.get("state") ?? "";
  if (machines.setState(node, state, changes.get("reason") ?? "", person.user)) return ok;
  return said(1, `Invalid input: State=${state}\nRequest aborted`);
}
