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

/** @param retry Absent: the page asks again by itself. */
export function Failed({
  error,
  what,
  retry,
}: {
  readonly error: unknown;
  readonly what: string;
  readonly retry?: () => void;
}) {
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
      hint: "An operator of this server can give your token the role viewer.",
    };
  if (status === 404) return { title: `Not found: ${what}` };
  if (status === 0)
    return {
      title: `No answer about ${what}`,
      hint: "This says nothing about the jobs: they may be well or not. In a terminal: reprise doctor",
    };
  return { title: `Could not load ${what}` };
}
