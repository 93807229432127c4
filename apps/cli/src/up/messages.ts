/** messages: what `reprise up` and its parts say to each other over their channel. */

/** up → part, once, first. */
export interface FirstMessage {
  /** The part's own slice: `ServerConfig`, `SacConfig`, … */
  readonly config: unknown;
  readonly logLevel: string;
  readonly isPretty: boolean;
}

/** part → up. */
export interface PartMessage {
  /** The server listens; `ready` is its `ServerReady`. */
  readonly kind: "ready";
  readonly ready: object;
}
