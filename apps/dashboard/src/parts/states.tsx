/** states: what stands where data would: it is coming, there is none, it could not be had, it is not for this caller. */
import type { ReactNode } from "react";
import { ApiFailure } from "../api/client.ts";
import { printable } from "../words/printable.ts";

export function Loading({ what }: { readonly what: string }) {
  return (
    <div className="loading" role="status">
      <span className="sr">Loading {what}…</span>
      <i />
      <i />
      <i />
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

interface Asked {
  /** Null: the answer is on its way. */
  readonly error: unknown;
  readonly what: string;
  /** Absent: the page asks again by itself. */
  readonly retry?: () => void;
}

/** There is no answer: it is on its way, or there will be none. */
export function NotYet({ error, what, retry }: Asked) {
  if (error === null) return <Loading what={what} />;
  return <Failed error={error} what={what} {...(retry === undefined ? {} : { retry })} />;
}

export function Failed({ error, what, retry }: Asked) {
  const { title, hint } = wordsFor(error, what);
  return (
    <div className="failed" role="alert">
      <p className="empty-title">{title}</p>
      <p>{printable(error instanceof Error ? error.message : String(error))}</p>
      {hint === undefined ? null : <p className="faint">{hint}</p>}
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

function wordsFor(error: unknown, what: string): { readonly title: string; readonly hint?: string } {
  const status = error instanceof ApiFailure ? error.status : undefined;
  if (status === 403)
    return {
      title: `You may not see ${what}`,
      hint: "The owner of this server can make you a token with the role viewer: reprise token create",
    };
  if (status === 404) return { title: `Not found: ${what}` };
  if (status === 0)
    return {
      title: `No answer about ${what}`,
      hint: "This says nothing about the jobs: they may be well or not. In a terminal: reprise doctor",
    };
  return { title: `Could not load ${what}` };
}
