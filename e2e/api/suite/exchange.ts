/**
 * exchange: one request and the answer it must get, as an `.http` file has them.
 *
 * Takes   the text of a file: prose in `#` lines; then exchanges, each
 *
 *             ### an attempt is created by its first report
 *             # prose, or a word to the runner: `http only: <why>`, `external only: <why>`, `eventually`, `251 times`
 *             POST /v1/jobs
 *             header: value
 *
 *             {"workflowId": "w"}
 *
 *             HTTP 200
 *             header: value
 *
 *             {"job": {"workflowId": "w", "...": ""}}
 *
 * Gives   them in order: later ones use what earlier ones captured.
 * Fails   throws with the exchange's name where it is not of this form.
 */
export interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** Empty: any. */
  readonly answer: string;
  /** Why gRPC cannot say this. */
  readonly httpOnly: string | undefined;
  /** Why the internal listeners answer otherwise. */
  readonly externalOnly: string | undefined;
  /** The answer comes once something has happened in the server: asked again until it fits. */
  readonly isEventual: boolean;
  /** Sent so often, with `{{n}}` from 0 on. */
  readonly times: number;
}

export function parseExchanges(text: string): readonly Exchange[] {
  return text
    .split(/^### /m)
    .slice(1)
    .map((part) => exchange(part));
}

function exchange(part: string): Exchange {
  const [name = "", ...lines] = part.trim().split("\n");
  const notes = lines.filter((line) => line.startsWith("#")).map((line) => line.slice(1).trim());
  const rest = lines.filter((line) => !line.startsWith("#"));
  const answerAt = rest.findIndex((line) => /^HTTP \d{3}$/.test(line));
  const asked = messageOf(rest.slice(0, answerAt));
  const answered = messageOf(rest.slice(answerAt));
  const [, method, target] = /^([A-Z]+) (.+)$/.exec(asked.first) ?? [];
  if (answerAt < 0 || method === undefined || target === undefined)
    throw new Error(`${name}: expected \`METHOD target\`, and below it \`HTTP status\``);
  return {
    name,
    method,
    target,
    headers: asked.headers,
    body: asked.body,
    status: Number(answered.first.slice("HTTP ".length)),
    answerHeaders: answered.headers,
    answer: answered.body,
    httpOnly: reasonIn(notes, "http only: "),
    externalOnly: reasonIn(notes, "external only: "),
    isEventual: notes.includes("eventually"),
    times: Number(notes.map((note) => /^(\d+) times$/.exec(note)?.[1]).find((found) => found !== undefined) ?? 1),
  };
}

const reasonIn = (notes: readonly string[], label: string) =>
  notes.find((note) => note.startsWith(label))?.slice(label.length);

/** A first line, headers up to an empty line, and a body. */
function messageOf(lines: readonly string[]) {
  const [first = "", ...rest] = lines;
  const emptyAt = rest.indexOf("");
  const headerLines = emptyAt < 0 ? rest : rest.slice(0, emptyAt);
  const body = emptyAt < 0 ? "" : rest.slice(emptyAt).join("\n").trim();
  const headers = headerLines.map((line): [string, string] => {
    const [name = "", ...value] = line.split(":");
    return [name.trim().toLowerCase(), value.join(":").trim()];
  });
  return { first, headers: Object.fromEntries(headers), body };
}
