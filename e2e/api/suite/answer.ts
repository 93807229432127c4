/** answer: what came back for an exchange, over either transport. */
export interface Answer {
  /** Of HTTP; over gRPC the one that the code stands for. */
  readonly status: number;
  /** In small letters; gRPC has none that are promised. */
  readonly headers?: ReadonlyMap<string, string>;
  /** What is no JSON is the text. */
  readonly body: unknown;
}

export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends one request of an exchange, with the token unless it brings an `authorization` of its own; `none` sends none. */
export type Ask = (asked: Asked) => Promise<Answer>;

export function authorizationOf({ headers }: Asked, token: string | undefined): string | undefined {
  const own = headers["authorization"];
  if (own === "none") return undefined;
  return own ?? (token === undefined ? undefined : `Bearer ${token}`);
}
