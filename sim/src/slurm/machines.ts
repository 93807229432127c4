/**
 * machines: the nodes as they are, and as slurmctld takes them.
 *
 * Keeps    a node that was set DOWN by hand stays so until it is resumed; one that only fell silent comes back by itself
 *          (ReturnToService=1). What was COMPLETING on a node that is DOWN is over; on one that came back, once it is asked again.
 * Source   slurm.md §2.4, §6; seen on 22.05.8: over within 10 ms of DOWN; 57 s after the loss of a node that was back after 5 s
 *          (`_list_find_job_old`: TERMINATE_JOB is sent again).
 */
import type { Leaving } from "./leaving.ts";
import type { Ledger } from "./ledger.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { Processes } from "./processes.ts";
import { hasAllocation, isActive, type JobRecord, type NodeRecord } from "./record.ts";
import type { Schedule } from "./schedule.ts";
import { scriptOf, wholeOf } from "./tasks.ts";
import type { Site } from "./sim-slurm.ts";

export interface Machines extends Site {
  /** `scontrol update NodeName=… State=…`; false for a state that this model does not know. */
  setState(node: NodeRecord, state: string, reason: string, by: string): boolean;
  prologFailed(job: JobRecord, node: string): void;
  /** A controller that starts learns who answers. */
  takeUp(): void;
}

export interface MachinesDeps {
  readonly ledger: Ledger;
  readonly lifecycle: () => Lifecycle;
  readonly leaving: Leaving;
  readonly processes: Processes;
  readonly schedule: Schedule;
}

/** So long after a node is back it is asked again to end what was COMPLETING on it. */
const askedAgainMs = 52_000;
const notResponding = "Not responding";

export function createMachines({ ledger, lifecycle, leaving, processes, schedule }: MachinesDeps): Machines {
  const nodeOf = (name: string): NodeRecord => {
    const node = ledger.nodes.get(name);
    if (node === undefined) throw new Error(`node is ${JSON.stringify(name)}, expected one of this cluster`);
    return node;
  };
  const tell = (node: NodeRecord, by: string, detail: string) => {
    ledger.changed();
    ledger.tell("node", by, `${node.name} ${detail}`);
  };
  const setDown = (node: NodeRecord, reason: string, by: string) => {
    [node.isDown, node.reason] = [true, reason];
    tell(node, by, `down: ${reason}`);
    for (const job of ledger.jobs.values()) {
      if (!job.nodes.includes(node.name) || !hasAllocation(job)) continue;
      if (!isActive(job)) {
        if (processes.lives(job.run)) processes.terminate(job);
        else leaving.clear(job, 0);
      } else if (job.requeue && job.batch) lifecycle().requeue(job, "slurm", { holds: false });
      else lifecycle().end(job, "NODE_FAIL", "NodeDown", { signal: 15 });
    }
    schedule.request();
  };
  const looksForSilent = (node: NodeRecord) => {
    ledger.timetable.at(ledger.now() + ledger.settings.slurmdTimeoutSeconds * 1000, "controller", () => {
      if (!node.isAlive && !node.isDown) setDown(node, notResponding, "slurm");
    });
  };
  return {
    nodeLost(name, { silent = false } = {}) {
      const node = nodeOf(name);
      node.isAlive = false;
      processes.nodeLost(name);
      ledger.tell("node", "site", `${name} lost`);
      if (silent) looksForSilent(node);
      else ledger.timetable.at(ledger.now(), "report", () => setDown(node, "lost", "root"));
    },
    nodeBack(name) {
      const node = nodeOf(name);
      node.isAlive = true;
      ledger.tell("node", "site", `${name} back`);
      ledger.timetable.at(ledger.now(), "report", () => {
        if (node.isDown && node.reason === notResponding) [node.isDown, node.reason] = [false, ""];
        tell(node, "slurm", "registered");
        // What was started on it before it was lost is not there.
        for (const job of ledger.jobs.values()) {
          if (!hasAllocation(job) || !job.nodes.includes(name) || processes.lives(scriptOf(ledger, job).run)) continue;
          if (isActive(job)) lifecycle().missing(job);
          else leaving.clear(job, askedAgainMs);
        }
        schedule.request();
      });
    },
    failProlog: (name, times = 1) => void (nodeOf(name).prologFailures += times),
    failEpilog: (name, times = 1) => void (nodeOf(name).epilogFailures += times),
    setState(node, state, reason, by) {
      const word = state.toUpperCase();
      if (word === "DOWN") setDown(node, reason, by);
      else if (!turn(node, word, reason)) return false;
      else tell(node, by, state.toLowerCase());
      schedule.request();
      return true;
    },
    prologFailed(job, name) {
      const node = nodeOf(name);
      node.prologFailures--;
      [node.isDrained, node.reason] = [true, "Prolog error"];
      tell(node, "slurm", "drain: Prolog error");
      if (!isActive(job)) return;
      if (!job.requeue) return lifecycle().end(job, "CANCELLED", "None", {});
      const holds = !ledger.settings.noHoldOnPrologFail;
      lifecycle().requeue(job, "slurm", { holds, ...(holds ? { description: "launch failed requeued held" } : {}) });
      if (holds) for (const part of wholeOf(ledger, job)) part.hold = "launch";
    },
    takeUp() {
      for (const node of ledger.nodes.values()) if (!node.isAlive && !node.isDown) looksForSilent(node);
    },
  };
}

/** @returns  false for a state that this model does not know. */
function turn(node: NodeRecord, word: string, reason: string): boolean {
  switch (word) {
    case "DRAIN":
      [node.isDrained, node.reason] = [true, reason];
      return true;
    case "RESUME":
    case "IDLE":
      [node.isDown, node.isDrained, node.reason] = [false, false, ""];
      return true;
    case "UNDRAIN":
      node.isDrained = false;
      return true;
    default:
      return false;
  }
}

export interface Load {
  cpus: number;
  isCompleting: boolean;
}

/** sinfo's `%T`. */
export function nodeStateWord(
  node: NodeRecord,
  { cpus, isCompleting }: Load = { cpus: 0, isCompleting: false },
): string {
  if (node.isDown) return "down";
  if (node.isDrained) return cpus > 0 || isCompleting ? "draining" : "drained";
  if (cpus === 0) return isCompleting ? "completing" : "idle";
  return cpus >= node.cpus ? "allocated" : "mixed";
}
