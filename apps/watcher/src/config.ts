/** config: what a watcher is told. */
import type { ClientTls } from "@reprise/protocol/grpc.ts";
import type { MetricsAddress } from "@reprise/runtime/metrics-listener.ts";

export interface WatcherConfig {
  /** The server's internal gRPC listener, `host:port`. */
  readonly server: string;
  /** Absent: the server is insecure. */
  readonly tokenFile?: string;
  /** Absent: the server is called in cleartext. */
  readonly tls?: ClientTls;
  /** Stable over restarts of this watcher; a second watcher has another one. */
  readonly watcherId: string;
  /** Folders with signature packs (YAML), the built-in one first. */
  readonly signatureDirs: readonly string[];
  /** Attempts, and as many nodes. */
  readonly targetsMax: number;
  /** Where nodes' own logs lie, and the zone (an IANA name) of times in them that show none. Absent: they are not read. */
  readonly nodeLogs?: { readonly patterns: readonly string[]; readonly zone: string };
  /** How long a loss of throughput must have lasted to be told (ms). Absent: `limits.slowdownLastsMs`. */
  readonly slowdownLastsMs?: number;
  /** Where `/metrics` is served. Absent: nowhere. */
  readonly metrics?: MetricsAddress;
}
