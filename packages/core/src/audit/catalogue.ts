/**
 * catalogue: every event that Reprise itself writes into the audit trail. The one list; docs/audit-events.md is this table.
 *
 * Keeps   an event has one source, so that nothing is told twice: it is written in the transaction of the report that it is
 *         derived from, and is there if and only if that report is. What other programs send is not in here.
 */

/** Whose doing an event is; not who wrote it down. */
export type AuditProducer = "job-manager" | "watcher" | "sac" | "watchdog";
export type AuditLevel = "info" | "warn" | "error";

interface Entry {
  readonly producers: readonly AuditProducer[];
  readonly level: AuditLevel;
  /** When it is written, as half a sentence. */
  readonly when: string;
  /** Keys of the payload. */
  readonly payload: readonly string[];
}

export const catalogue = {
  "job.seen": {
    producers: ["job-manager"],
    level: "info",
    when: "an attempt is recorded for the first time",
    payload: ["workflowId", "state", "covered"],
  },
  "job.not-covered": {
    producers: ["job-manager"],
    level: "info",
    when: "it becomes known that recovery will not touch an attempt, and why",
    payload: ["because", "position"],
  },
  "job.workflow-changed": {
    producers: ["job-manager"],
    level: "info",
    when: "an attempt is reported under another workflow",
    payload: ["from", "to"],
  },
  "job.new-incarnation": {
    producers: ["job-manager"],
    level: "info",
    when: "Slurm has given a job ID to another job",
    payload: ["incarnation", "jobId"],
  },
  "job.rolled-back": {
    producers: ["job-manager"],
    level: "warn",
    when: "Slurm's controller has forgotten the end of an attempt, or its requeue",
    payload: ["status", "jmState", "submitAt", "startedAt", "endedAt", "statusNow"],
  },
  "job.repeated": {
    producers: ["job-manager"],
    level: "warn",
    when: "Slurm's controller has forgotten an attempt and begun it again",
    payload: ["status", "jmState", "submitAt", "startedAt", "endedAt", "submitAtNow"],
  },
  "signal.recorded": {
    producers: ["watcher"],
    level: "info",
    when: "the watcher reports what it read in a log; progress and checkpoints apart",
    payload: ["kind", "cause", "causeClass", "root", "nodes", "path", "offset"],
  },
  "decision.made": {
    producers: ["job-manager"],
    level: "info",
    when: "what is decided about an attempt is not what was decided before",
    payload: ["kind", "because", "sentence"],
  },
  "advice.recorded": {
    producers: ["job-manager"],
    level: "info",
    when: "a decision becomes Advice, or a new generation of it",
    payload: ["generation", "desiredState", "exclusions", "because", "sentence"],
  },
  "advice.withdrawn": {
    producers: ["job-manager"],
    level: "info",
    when: "Advice is withdrawn: a generation of its own",
    payload: ["generation", "desiredState", "exclusions", "because", "sentence"],
  },
  "advice.rolled-back": {
    producers: ["job-manager"],
    level: "warn",
    when: "Slurm's controller has forgotten a restart that was confirmed, and it is advised again",
    payload: ["generation", "desiredState", "exclusions", "because", "sentence"],
  },
  "advice.converged": {
    producers: ["sac"],
    level: "info",
    when: "a second look at Slurm shows what was advised",
    payload: ["observedGeneration", "reason", "message"],
  },
  "advice.abandoned": {
    producers: ["sac"],
    level: "warn",
    when: "Advice will not be carried out, or not further",
    payload: ["observedGeneration", "reason", "message"],
  },
  "step.begun": {
    producers: ["sac", "watchdog"],
    level: "info",
    when: "a step stands in the journal and its command is about to be sent",
    payload: ["key", "action", "generation"],
  },
  "step.ended": {
    producers: ["sac", "watchdog"],
    level: "info",
    when: "the command of a step has returned; `done` proves nothing by itself; `detail` begins with `on job N` where it was done to another job than the Advice's (a dependent, a component, the next of a chain)",
    payload: ["key", "action", "generation", "outcome", "detail"],
  },
  "step.refused-by-gate": {
    producers: ["sac"],
    level: "info",
    when: "the gate does not permit a step: what would have been done",
    payload: ["key", "generation", "detail"],
  },
  "watchdog.released": {
    producers: ["watchdog"],
    level: "warn",
    when: "the watchdog has let a job go that recovery had left held",
    payload: ["key", "action", "generation", "outcome", "detail"],
  },
  "override.set": {
    producers: ["job-manager"],
    level: "warn",
    when: "a person forbids, orders or withdraws a restart, or clears what was ordered",
    payload: ["action", "reason", "by", "withdrawnAttempts"],
  },
  "mode.ordered": {
    producers: ["job-manager"],
    level: "warn",
    when: "a person orders a cluster to observe, or to act in some partitions",
    payload: ["cluster", "generation", "mode", "partitions", "reason", "by"],
  },
  "brake.ordered": {
    producers: ["job-manager"],
    level: "warn",
    when: "a person stops everything new on a cluster, or lets it go on",
    payload: ["cluster", "generation", "action", "reason", "by"],
  },
  "brake.bites": {
    producers: ["sac"],
    level: "warn",
    when: "the kill switch or a stop is on, or the cap on restarts a minute holds something back, and did not before",
    payload: ["cluster", "kind", "heldBack"],
  },
  "brake.released": {
    producers: ["sac"],
    level: "info",
    when: "a brake is off again, or holds nothing back any more",
    payload: ["cluster", "kind"],
  },
  "node.cleared": {
    producers: ["job-manager"],
    level: "warn",
    when: "a person says that a node was repaired: what was said against it counts no more",
    payload: ["cluster", "node", "reason", "by", "ended"],
  },
  "slurm.unavailable": {
    producers: ["sac"],
    level: "warn",
    when: "Slurm could not be read, and could before",
    payload: ["cluster", "why"],
  },
  "slurm.available": {
    producers: ["sac"],
    level: "info",
    when: "Slurm can be read again",
    payload: ["cluster"],
  },
  "slurm.release-seen": {
    producers: ["sac"],
    level: "warn",
    when: "slurmctld is of another version than before, or that version stands otherwise: `tried`, `allowed` by an operator, or `untried`, on which nothing is begun",
    payload: ["cluster", "version", "standing", "versionBefore", "standingBefore"],
  },
  "sac.mode-changed": {
    producers: ["sac"],
    level: "warn",
    when: "SAC reports another mode, or other partitions, than before",
    payload: ["cluster", "mode", "partitions", "modeBefore", "partitionsBefore"],
  },
  "audit.lost": {
    producers: ["job-manager"],
    level: "error",
    when: "events that were accepted from other programs could not be stored",
    payload: ["count", "error"],
  },
} as const satisfies Readonly<Record<string, Entry>>;

export type AuditType = keyof typeof catalogue;

export const levelOf = (type: AuditType): AuditLevel => catalogue[type].level;
