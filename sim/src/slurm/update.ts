/**
 * update: `scontrol update JobId=…` on one record.
 *
 * Gives    `undefined`, or slurmctld's words. It is not atomic: what stands before the refused key, and ExcNodeList and Comment beside a
 *          refused Priority or Dependency, was applied.
 * Source   slurm.md §2.3, §2.8; `_update_job` of slurmctld.
 */
import { expandHostlist } from "@reprise/core/fact/hostlist.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Parts, Refused } from "./commands.ts";
import { parseDependency } from "./dependency.ts";
import type { Ledger } from "./ledger.ts";
import { isFinal, type JobRecord, wholeSecond } from "./record.ts";
import { maySteer, type Person } from "./rights.ts";
import { words } from "./words.ts";

/** Keys in small letters. */
export type Changes = ReadonlyMap<string, string>;

export const updatableKeys: ReadonlySet<string> = new Set([
  "excnodelist",
  "reqnodelist",
  "comment",
  "admincomment",
  "dependency",
  "starttime",
  "priority",
  "requeue",
]);

const commentBytesMax = 1024;

export function update(parts: Parts, person: Person, job: JobRecord, changes: Changes): Refused {
  if (!maySteer(person, job)) return words.wrongUser;
  if (isFinal(job)) return words.finished;
  const { ledger, schedule } = parts;
  const refused = refusedAtOnce(ledger, person, job, changes);
  if (refused !== undefined) return refused;

  ledger.change(job);
  for (const [key, value] of changes) {
    if (key === "excnodelist") job.excluded = nodes(ledger, value) ?? [];
    else if (key === "reqnodelist" && job.base === "PENDING") job.required = nodes(ledger, value) ?? [];
    else if (key === "comment") job.comment = value;
    else if (key === "admincomment") job.adminComment = value;
    else if (key === "requeue") job.requeue = value === "1";
    else if (key === "starttime") job.beginAt = parseStart(value, ledger.now()) ?? job.beginAt;
  }
  ledger.tell("updated", person.user, [...changes.keys()].join(","), job);
  if (changes.has("starttime")) schedule.atBegin(job);
  const late = refusedLate(ledger, job, changes);
  const isConstrained = changes.has("excnodelist") || changes.has("reqnodelist");
  if (isConstrained && job.hold === "constraints") {
    [job.hold, job.priority, job.reason] = [undefined, ledger.nextPriority--, "None"];
  }
  schedule.request();
  return late;
}

function refusedAtOnce(ledger: Ledger, person: Person, job: JobRecord, changes: Changes): Refused {
  const isPending = job.base === "PENDING";
  if (changes.has("admincomment") && !person.isRoot) return words.denied;
  for (const key of ["comment", "admincomment"]) {
    const max = key === "comment" ? commentBytesMax : Infinity;
    if (new TextEncoder().encode(changes.get(key) ?? "").length > max) return words.tooLong;
  }
  for (const key of ["excnodelist", "reqnodelist"]) {
    const value = changes.get(key);
    if (value === undefined) continue;
    if (key === "excnodelist" && !isPending) return words.notPending;
    if (key === "excnodelist" && ledger.settings.refusesExclusions) return words.disabled;
    if (nodes(ledger, value) === undefined) return words.unknownNode;
  }
  return changes.has("starttime") && !isPending ? words.notPending : undefined;
}

/** After the rest was applied. */
function refusedLate(ledger: Ledger, job: JobRecord, changes: Changes): Refused {
  const dependency = changes.get("dependency");
  if (dependency !== undefined) {
    const parsed = job.base === "PENDING" ? parseDependency(ledger, dependency, job) : undefined;
    if (parsed === undefined) return job.base === "PENDING" ? words.dependency : words.notPending;
    job.dependency = parsed;
    if (job.hold === undefined) job.reason = "None";
  }
  const priority = changes.get("priority");
  if (priority === undefined) return undefined;
  if (job.priority === 0 && priority !== "0") return words.held;
  job.priority = Number(priority);
  if (job.priority === 0 && job.hold === undefined) [job.hold, job.reason] = ["admin", "JobHeldAdmin"];
  return undefined;
}

/** Each a node of this cluster, or `undefined`. */
export function nodes(ledger: Ledger, list: string): readonly string[] | undefined {
  const names = expandHostlist(list);
  return names?.every((name) => ledger.nodes.has(name)) === true ? names : undefined;
}

/** `now`, `now+60`; `undefined` for another form. */
export function parseStart(text: string, now: Instant): Instant | undefined {
  const [, seconds] = /^now(?:\+(\d+))?$/.exec(text) ?? [];
  if (text !== "now" && seconds === undefined) return undefined;
  return wholeSecond(now) + Number(seconds ?? 0) * 1000;
}
