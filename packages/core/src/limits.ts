/**
 * limits: every bound of the system, with its unit. The one list.
 *
 * Keeps   A loop, queue, batch or wait without a name here is a mistake.
 * Source  design §5–§9, api.md §1 and §4; figures measured on Slurm 22.05 and 25.11.
 */
export const limits = {
  // The wire.
  workflowIdCharsMax: 256,
  nodeNameCharsMax: 255,
  nodesMax: 20_000,
  attemptIndexMax: 2 ** 31 - 1,
  pageRowsDefault: 100,
  pageRowsMax: 250,
  bodyBytesMax: 1024 * 1024,
  /** A pass names every job of a cluster; gRPC only. */
  passBytesMax: 64 * 1024 * 1024,
  requestDeadlineMs: 30_000,
  signalsPerReportMax: 500,
  evidenceLineBytesMax: 4096,

  // The recovery comment.
  /** Slurm refuses a longer comment. */
  commentBytesMax: 1024,
  maxRequeueTimesMax: 1000,
  maxFailuresWithoutProgressMax: 100,
  /** Restarts that are not charged to the author still end somewhere. */
  unchargedRestartsMax: 20,

  // Deciding.
  /** An exit-independent line must stay without a further step for this long… */
  fatalGraceMs: 5_000,
  /** …or for so many recent step times, whichever is longer. */
  fatalGraceSteps: 3,
  /** A grace that has passed waits for the log to be read past it; asked again after this. */
  unreadLogMs: 250,
  backoffFirstMs: 30_000,
  backoffMaxMs: 15 * 60_000,
  adviceLifeMs: 24 * 3_600_000,
  exclusionLifeMs: 24 * 3_600_000,
  /** A pass older than this says nothing about now. */
  passAgeMaxMs: 30_000,
  decideBatchMax: 50,
  situationSignalsMax: 200,

  // Carrying out.
  /** Slurm saves its state late: a second look confirms only after this. */
  settleMs: 6_000,
  /** A command re-reads its job; a read older than this authorises nothing. */
  readAgeMaxMs: 2_000,
  /** Longer than slurmctld's own MessageTimeout (10 s); then the outcome is unknown. */
  commandLimitMs: 12_000,
  /**
   * A requeue whose end nobody knows may still raise the count so much later: slurmctld hung, and then KillWait of a job that ran
   * (measured: applied 20 s later; KillWait 30 s by default). A hold that appears within it is taken for ours.
   */
  claimWindowMs: 180_000,
  /** StartTime=now+2: slurmd of 22.05 compares whole seconds. */
  skipDelayMs: 2_000,
  /** How long a release waits for the watcher to have read attempt k's log to its end. */
  logEndWaitMs: 5_000,
  restartsPerMinuteMax: 30,
  serverGraceMs: 10 * 60_000,
  failOpenAfterMs: 180_000,
  lockWaitMs: 30_000,
  heartbeatStaleMs: 30_000,
  leaseMs: 30_000,
} as const;
