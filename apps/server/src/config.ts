/** config: what the server is told. The command line resolves it; the origin of each value is shown by `reprise config`. */
export interface ListenAddress {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

export interface ServerConfig {
  /** PostgreSQL. Absent: the embedded database in `dataDir`. */
  readonly databaseUrl?: string;
  readonly dataDir: string;
  readonly http: ListenAddress;
  readonly grpc: ListenAddress;
  readonly internalHttp: ListenAddress;
  readonly internalGrpc: ListenAddress;
  /** Bearer token of every listener (made when missing, mode 0600). Ignored when `insecure`. */
  readonly tokenFile: string;
  readonly insecure: boolean;
  /** The environment name a policy may ask for. */
  readonly environment?: string;
  /** The cluster that an unnamed job belongs to. */
  readonly cluster: string;
}

/** What the server says once everything listens. */
export interface ServerReady {
  readonly http: string;
  readonly grpc: string;
  readonly internalHttp: string;
  readonly internalGrpc: string;
  readonly tokenFile: string;
}
