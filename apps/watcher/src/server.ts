/**
 * server: what the watcher asks of the server. A port in plain types; `server-client.ts` speaks gRPC.
 *
 * In the loop   claim Targets → read → **report** → facts
 * Promises      `reportSignals` stores signals and positions in one transaction: neither is ever ahead of the other. The
 *               same report twice changes nothing.
 * Fails         rejects when the server is away; the caller sends the same report again.
 * Bound         `limits.signalsPerReportMax` signals a report, `limits.nodeLinesPerReportMax` lines.
 */
import type { Instant, JsonObject, Signal } from "@reprise/core/nouns.ts";
import type { CourseReport } from "@reprise/protocol/wire/course.ts";
import type { NodeLine, NodeLogPosition } from "@reprise/protocol/wire/node-line.ts";

/** Where reading one file stands. Durable on the server. */
export interface LogPosition {
  readonly heimdallJobId: string;
  readonly path: string;
  readonly device: string;
  /** Empty: the file has never been there. */
  readonly inode: string;
  /** Fingerprint of the bytes before `offset`: a file that was emptied and has grown beyond `offset` again has another. */
  readonly mark: string;
  /** Everything before this byte has been read and reported. */
  readonly offset: number;
  /** Where this attempt's part of the file begins. */
  readonly start: number;
  /** The reader stood at the end of the file. */
  readonly readAt?: Instant;
  /** The attempt is over and the file was read to its end. */
  readonly ended: boolean;
  /** The file cannot be read, and silence in it means nothing. */
  readonly unreadable?: string;
  /** What the reader of the attempt remembers beyond its offsets: `detect/memory.ts`. In one of its files' positions. */
  readonly memory?: string;
}

/** The author's own limits: how long no step may come, before the first one and after it. */
export interface SilenceLimits {
  readonly pretrainingMs: number;
  readonly trainingLoopMs: number;
}

/** One attempt whose logs this watcher should read. */
export interface Target {
  readonly heimdallJobId: string;
  readonly jobId: string;
  readonly attemptIndex: number;
  readonly jobName: string;
  readonly nodes: readonly string[];
  /** 0: not known. */
  readonly gpuCountPerNode: number;
  /** `schedulerMetadata.slurm`. */
  readonly slurm: JsonObject;
  /** Patterns of the policy; empty: Slurm's stdout and stderr. */
  readonly logPaths: readonly string[];
  /** Absent: to be learnt from what the file does at the restart. */
  readonly sharedAcrossAttempts?: boolean;
  /** Of the policy. Absent: silence is not reported. */
  readonly silence?: SilenceLimits;
  /** Whether a lasting loss of throughput is reported. */
  readonly slowdown: boolean;
  /** The attempt is over: read to the end, say so, and let go. */
  readonly ended: boolean;
  /** Where the last reader of this attempt stood. */
  readonly positions: readonly LogPosition[];
  /** Where earlier attempts of this scheduler job stopped, in their order. `ended` only of the one right before: what follows is this attempt's. */
  readonly earlier: readonly LogPosition[];
  /** Of its nodes' own logs within its time, the earliest first; all of them whenever the target comes. */
  readonly nodeLines: readonly TargetLine[];
  /** Grows when one has come; told back once they were read (`SignalReport.nodeLinesRead`). */
  readonly nodeLinesNumber: number;
  /** Another one whenever anything in here but `positions` may be different. */
  readonly version: string;
}

export interface TargetLine extends NodeLine {
  /** Another job was on the node then: whose fault the line tells of is not known. */
  readonly isShared: boolean;
}

export interface ReportedSignal extends Signal {
  /** Unique within the attempt; the same line gives the same key however often it is read. */
  readonly key: string;
  readonly heimdallJobId: string;
  /** Recent time between two printed steps, for `progress`. */
  readonly stepSpacingMs?: number;
  /** Where a change of speed began. It goes with the Course, not with the signal. */
  readonly sinceStep?: number;
}

export interface SignalReport {
  readonly reporter: string;
  readonly signals: readonly ReportedSignal[];
  readonly positions: readonly LogPosition[];
  readonly nodeLinesRead: readonly { readonly heimdallJobId: string; readonly number: number }[];
}

export interface CoursesReport {
  readonly reporter: string;
  readonly courses: readonly CourseReport[];
}

export interface Claim {
  readonly watcher: string;
  /** Targets to hold in all. */
  readonly limit: number;
  readonly renew: readonly string[];
  readonly release: readonly string[];
  /** Versions of those of `renew` whose targets need not come again while they are the same. */
  readonly known: ReadonlyMap<string, string>;
}

export interface Claimed {
  /** What this watcher now holds, but for `unchanged`. */
  readonly targets: readonly Target[];
  /** Held too, and still of the version that it knows. */
  readonly unchanged: readonly string[];
  readonly leaseMs: number;
}

/** The logs of one node, which this watcher should read. */
export interface NodeLog {
  readonly cluster: string;
  readonly node: string;
  /** Older lines concern no attempt. */
  readonly since: Instant;
  readonly positions: readonly NodeLogPosition[];
}

export interface NodeLinesReport {
  readonly reporter: string;
  readonly cluster: string;
  readonly lines: readonly NodeLine[];
  readonly positions: readonly NodeLogPosition[];
}

export interface Server {
  claimTargets(claim: Claim): Promise<Claimed>;
  reportSignals(report: SignalReport): Promise<void>;
  /** How attempts went, for people: nothing is decided from it. The same report twice changes nothing. */
  reportCourses(report: CoursesReport): Promise<void>;
  /** @param limit Nodes to hold in all; 0 gives all of them back. */
  claimNodeLogs(watcher: string, limit: number): Promise<{ readonly nodeLogs: readonly NodeLog[]; leaseMs: number }>;
  /** Lines and positions in one transaction; the same report twice changes nothing. */
  reportNodeLines(report: NodeLinesReport): Promise<void>;
}
