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
  /** Of objects and arrays in each other in a body of JSON… */
  bodyDepthMax: 40,
  /** …and in free metadata, on both transports: protobuf reads 100 messages in each other, and each level is two of them. */
  metadataDepthMax: 32,
  /** A pass names every job of a cluster; gRPC only. */
  passBytesMax: 64 * 1024 * 1024,
  requestDeadlineMs: 30_000,
  signalsPerReportMax: 500,
  nodeLinesPerReportMax: 500,
  milestonesPerSequenceMax: 200,
  /** Recoveries, and attempts, in a window that figures are asked of. */
  figuresRowsMax: 100_000,
  /** Stories that one answer of `Shadow` tells; all of them are counted. */
  shadowStoriesMax: 500,

  // The audit trail.
  auditEventsPerCallMax: 1_000,
  auditPageRowsMax: 100,
  /** Of one event's payload, as JSON. */
  auditPayloadCharsMax: 64 * 1024,
  /** Accepted and not yet stored; beyond either of the two nothing is accepted. */
  auditQueueMax: 10_000,
  auditQueueCharsMax: 32 * 1024 * 1024,
  /** Stored in one transaction. */
  auditWriteMax: 500,
  /** How long a stopping server waits for what it has accepted to be stored. */
  auditDrainMs: 5_000,
  evidenceLineBytesMax: 4096,

  // How attempts went, for people. Of one attempt each of the next four.
  coursePointsMax: 512,
  courseCheckpointsMax: 128,
  courseSpeedChangesMax: 32,
  courseContextsMax: 4,
  coursesPerReportMax: 100,
  /** Lines around the line of a signal. */
  contextBeforeMax: 8,
  contextAfterMax: 12,
  contextLineBytesMax: 400,
  /** Spans of traces that wait for their receiver; beyond it the newest are dropped. */
  spanQueueMax: 4_096,

  // Who may come in.
  tokensMax: 1_000,
  /** A token that was revoked or has expired is listed for this long. */
  tokenKeptMs: 90 * 24 * 3_600_000,
  /** Of one HTTP request: all of its headers, and how many. */
  headerBytesMax: 16 * 1024,
  headersMax: 100,
  /** Of one HTTP listener. */
  connectionsMax: 10_000,
  /** Calls at once on one gRPC connection; more wait at the caller. */
  streamsPerConnectionMax: 250,
  /** Streams of changes that one caller has open, on all listeners. */
  streamsPerCallerMax: 200,
  /** So often a stream of server-sent events shows that it lives (ms). */
  streamBeatMs: 10_000,
  /** Read and thrown away behind a body that is too large, so that its sender hears why; then the connection ends. */
  discardedBytesMax: 4 * 1024 * 1024,
  /** How long a stopping server lets calls finish. */
  drainGraceMs: 5_000,

  // The recovery comment.
  /** Slurm refuses a longer comment. */
  commentBytesMax: 1024,
  maxRequeueTimesMax: 1000,
  maxFailuresWithoutProgressMax: 100,
  /** Restarts that are not charged to the author still end somewhere. */
  unchargedRestartsMax: 20,

  // Logs of nodes.
  /** A line so long after the end of an attempt, by their own times, may still be about it: clocks differ, and kernels are slow. */
  nodeLineSlackMs: 10_000,
  /** Slurm tells a start in whole seconds, and so do many logs their times: a line of that second may be older. */
  nodeLineStartMs: 1_000,
  /** The logs of an attempt's nodes are read for so long after its end. */
  nodeLogLateMs: 10 * 60_000,
  nodeLineKeptMs: 24 * 3_600_000,
  /** Of one attempt, the earliest. */
  nodeLinesPerTargetMax: 200,
  /** A clock that is further ahead than Slurm's own authentication allows says nothing. */
  nodeClockAheadMaxMs: 5 * 60_000,

  // Deciding.
  /** An exit-independent line must stay without a further step for this long… */
  fatalGraceMs: 5_000,
  /** …or for so many times the longest recent gap between two steps, whichever is longer. */
  fatalGraceSteps: 3,
  /** The same for a line that does not by itself end a program, once a step was seen: others may have caught the error. */
  errorGraceMs: 30_000,
  errorGraceSteps: 5,
  /** A grace that has passed waits for the log to be read past it; asked again after this. */
  unreadLogMs: 250,
  /** What has passed on the clocks of the server and of a reader since one line may differ by so much: a report on its way. */
  clocksApartMs: 5_000,
  /** A silence that was told counts while its log was read so lately: who told it may be gone since. */
  silenceReadAgeMs: 30_000,
  /** What may end a program that runs is begun while its log was read so lately: it may have gone on since. */
  workHeardAgeMs: 10_000,
  /** Asked again after this whether it was read. */
  silenceAskMs: 1_000,
  /** A loss of throughput is told when it has lasted so long. */
  slowdownLastsMs: 30 * 60_000,
  backoffFirstMs: 30_000,
  backoffMaxMs: 15 * 60_000,
  adviceLifeMs: 24 * 3_600_000,
  /** A restart that a person ordered and that could not become Advice is not wanted any more. */
  restartOrderLifeMs: 10 * 60_000,
  /** Orders about one job since they were last cleared. */
  overridesMax: 50,
  overrideReasonCharsMax: 500,
  /** That one order about a cluster names. */
  partitionsMax: 250,
  exclusionLifeMs: 24 * 3_600_000,
  /** Evidence against a node is weighed for so long; as published studies of clusters look for bad nodes in the last 28 days. */
  evidenceLifeMs: 28 * 24 * 3_600_000,
  /** After this it counts half. */
  evidenceHalfLifeMs: 7 * 24 * 3_600_000,
  /** A line that is this much older than its attempt is not its evidence. Coarse: clocks of two hosts are compared. */
  evidenceSlackMs: 10 * 60_000,
  /** What breaks several jobs on one node within this is one failure of that node. */
  nodeIncidentMs: 10 * 60_000,
  /** The chance with which one look at a fleet of equal nodes accuses any of them. */
  falseAccusationMax: 0.01,
  /** Nodes that failed other jobs, of which one Advice keeps away. */
  accusedPerAdviceMax: 16,
  /** The newest that are weighed; older ones do not count. */
  ledgerEntriesMax: 2_000,
  /** A pass older than this says nothing about now. */
  passAgeMaxMs: 30_000,
  /** Attempts decided about in one transaction. */
  decideBatchMax: 250,
  /** Attempts that wait for others, decided about from one reading of the graph. */
  decideWaitingMax: 2_000,
  /** Attempts, and audit events, that lose what is too old in one transaction. */
  expireBatchMax: 500,
  situationSignalsMax: 200,
  /** Of one cause among them, before those of every other cause have their place. */
  situationRepeatsMax: 8,
  /** A gate that is closed because somebody is about to decide about its parent is asked again after this. */
  gateAgainMs: 2_000,
  /** Gates of one job of which a decision tells one by one. */
  gatesToldMax: 20,

  // Carrying out.
  /** Slurm's own hold after a failed launch is lifted at most so often a job. */
  launchReleasesMax: 2,
  /** Jobs that wait for another one by Slurm's own `--dependency`, of which its record tells one by one. */
  dependentsToldMax: 20,
  /** Slurm saves its state late: a second look confirms only after this. */
  settleMs: 6_000,
  /** A command re-reads its job; a read older than this authorises nothing. */
  readAgeMaxMs: 2_000,
  /** Advice that was listed longer ago begins nothing new: it may have been withdrawn since. One slow look, and the wait for the lock. */
  workAgeMaxMs: 15_000,
  /** What operators have ordered about the cluster was read longer ago: it is read again before anything is begun. */
  ordersAgeMaxMs: 500,
  /** While commands that begin something are on their way it is read so often. */
  ordersReadEveryMs: 250,
  /** A command that begins something is not sent on orders that were read longer ago: whoever planned it may have been stopped since. */
  ordersUseMaxMs: 5_000,
  /** A look that is older begins nothing new: what is seen of a requeue afterwards must have come after the look before it. */
  lookAgeMaxMs: 5_000,
  /** While nothing happens and nothing is under way everything is asked of Slurm so often; in between, whether anything has happened. */
  wholeLookMs: 10_000,
  /** SAC tells everything anew so often, whatever the server has taken: a newer one may keep more of it. */
  tellAllEveryMs: 3_600_000,
  /** Attempts that one report of a pass tells of: as many as a busy server takes within the client's deadline. */
  changedPerReportMax: 200,
  /** Commands, each about another job, that one child reads for and sends: as many as are sent long before that read is too old. */
  commandBatchMax: 50,
  /** Of them so many are under way at the same time, */
  commandsAtOnceMax: 4,
  /** and so many are begun in a second at most: what slurmctld is asked beside its looks. */
  commandsPerSecondMax: 100,
  /** Longer than slurmctld's own MessageTimeout (10 s); then the outcome is unknown. */
  commandLimitMs: 12_000,
  /**
   * A requeue whose end nobody knows may still raise the count so much later while slurmctld answers (measured: a hung one applied it
   * after 20 s; KillWait of a job that ran 30 s; after a restart of 25.11 a minute more). A hold that appears within it is taken for ours.
   */
  claimWindowMs: 120_000,
  /** StartTime=now+2: slurmd of 22.05 compares whole seconds. */
  skipDelayMs: 2_000,
  /** How long a release waits for the watcher to have read attempt k's log to its end. */
  logEndWaitMs: 5_000,
  restartsPerMinuteMax: 30,
  /** The minute of that. */
  restartsMinuteMs: 60_000,
  serverGraceMs: 10 * 60_000,
  failOpenAfterMs: 180_000,
  lockWaitMs: 30_000,
  heartbeatStaleMs: 30_000,
  leaseMs: 30_000,
  /** SAC reports each look, every few seconds. After so long without one it is told to be silent. */
  sacSilentMs: 60_000,
} as const;
