/** check: one finding of `doctor`. `ok`; `warn`: it works, with the loss that is named; `fail`: recovery does not work. */
export interface Check {
  readonly name: string;
  readonly verdict: "ok" | "warn" | "fail";
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

export const ok = (name: string, says: string): Check => ({ name, verdict: "ok", says });
export const warn = (name: string, says: string, todo: string): Check => ({ name, verdict: "warn", says, todo });
export const fail = (name: string, says: string, todo: string): Check => ({ name, verdict: "fail", says, todo });
