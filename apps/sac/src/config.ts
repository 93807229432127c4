/** config: what SAC and the watchdog are told. Their mutation switches are separate; both default to observe. */
import type { ClientTls } from "@reprise/protocol/grpc.ts";
import type { MetricsAddress } from "@reprise/runtime/metrics-listener.ts";

export interface SacConfig {
  /** The server's internal gRPC listener, `host:port`. */
  readonly server: string;
  /** Absent: the server is insecure. */
  readonly tokenFile?: string;
  /** Absent: the server is called in cleartext. */
  readonly tls?: ClientTls;
  /** The name of the cluster at a site that has several. Absent: the only one, whose attempts have plain names. */
  readonly cluster?: string;
  /** The server's environment name, so that a job that asks for another one is published as not covered. */
  readonly environment?: string;
  /** Journal, lock, wake-up socket. On a local disk of the SAC host; shared with the watchdog. */
  readonly stateDir: string;
  readonly mode: "observe" | "act";
  /** SAC acts only on jobs whose every partition is here. */
  readonly partitions: readonly string[];
  /** Releases such as `26.11` that recovery was not tried on, and on which it may act all the same. */
  readonly slurmReleases: readonly string[];
  readonly skipRequeueDelay: boolean;
  /** A wave of restarts beyond this waits. */
  readonly restartsPerMinuteMax: number;
  readonly pollMs: number;
  /** Acting without a living watchdog is refused; only tests of SAC alone turn this off. */
  readonly requireWatchdog: boolean;
  readonly failOpenAfterMs: number;
  /** For so long without the server what is held is carried on. */
  readonly serverGraceMs: number;
  /** Of so many jobs steps share a child, at most `limits.commandBatchMax`, which it is when absent; only tests of a crash within one step set it. */
  readonly stepsTogetherMax?: number;
  /** Where `/metrics` is served. Absent: nowhere. */
  readonly metrics?: MetricsAddress;
}

export interface WatchdogConfig {
  readonly stateDir: string;
  readonly mode: "observe" | "act";
  readonly failOpenAfterMs: number;
  /** As SAC's: for so long without the server it counts as living. */
  readonly serverGraceMs: number;
  readonly pollMs: number;
  /** As SAC's. */
  readonly metrics?: MetricsAddress;
}
