/**
 * template: the path of a google.api.http rule, e.g. `/v1/advice/{heimdall_job_id}/reconciliation-status`.
 *
 * Gives   its segments: a literal, or the name of the request field that one whole segment fills; and its `:verb`.
 * Fails   throws at start-up on what we have no use for (`**`, `{name=…}`, nested fields): a template is ours, so
 *         a wrong one is a bug.
 * Source  google/api/http.proto, "Path template syntax".
 */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "variable"; readonly field: string };

export interface Template {
  readonly segments: readonly Segment[];
  /** Without the colon. Empty: there is none. */
  readonly verb: string;
}

export function parseTemplate(text: string): Template {
  const [, path, verb = ""] = /^((?:\/[^/:]+)+)(?::([a-zA-Z]+))?$/.exec(text) ?? [];
  if (path === undefined) throw new Error(`http rule ${JSON.stringify(text)}: not a path template that we support`);
  return {
    segments: path
      .slice(1)
      .split("/")
      .map((part) => segment(part, text)),
    verb,
  };
}

function segment(part: string, template: string): Segment {
  const field = /^\{([a-z][a-z0-9_]*)\}$/.exec(part)?.[1];
  if (field !== undefined) return { kind: "variable", field };
  if (/^[\w.~-]+$/.test(part)) return { kind: "literal", text: part };
  throw new Error(`http rule ${JSON.stringify(template)}: segment ${JSON.stringify(part)} is not supported`);
}
