/** config: what a watcher is told. */
export interface WatcherConfig {
  /** The server's internal gRPC listener, `host:port`. */
  readonly server: string;
  /** Absent: the server is insecure. */
  readonly tokenFile?: string;
  /** Stable over restarts of this watcher; a second watcher has another one. */
  readonly watcherId: string;
  /** Folders with signature packs (YAML), the built-in one first. */
  readonly signatureDirs: readonly string[];
  readonly targetsMax: number;
}
