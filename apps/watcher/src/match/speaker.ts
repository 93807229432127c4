/**
 * speaker: what stands before the words of a line, and which process it says wrote them.
 *
 * Takes         text of one line, as `line-text.ts` gives it. Launchers, loggers and clocks lay their prefixes over each other,
 *               in any order: `node-a: 12: [default3]:[rank7]: 2025-03-01 10:40:00,123 - INFO - step 12`.
 * Gives         the speaker, as far as the prefixes name one; and the body, the words after them.
 * Pure, total
 * Bound         `prefixesMax` prefixes; a body is never looked for beyond them.
 * Source        srun --label; torchrun; mpirun --tag-output; Ray; Python logging; glog; syslog; kernel ring buffer.
 */
export interface Speaker {
  /** The global rank: `[rank3]:`, `[Rank 3]`, mpirun's `[1,3]<stderr>:`; `[E …cpp:916] [Rank 3]` of PyTorch. */
  readonly rank?: number;
  /** srun's label `3: `: the task, which is a rank or a node's launcher. */
  readonly task?: number;
  /** torchrun's `[default3]:`: the rank inside its node. Names no node. */
  readonly localRank?: number;
  /** `node-a: `, syslog's host, `(worker pid=7, ip=10.0.0.7)`: a name or an address. */
  readonly host?: string;
}

const prefixesMax = 10;

const clock = "\\d{1,2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?";
const date = "(?:\\d{4}[-/]\\d{2}[-/]\\d{2}|\\d{2}/\\d{2}/\\d{2,4})";
const zone = "(?:\\s?Z|\\s?UTC|\\s?[+-]\\d{2}:?\\d{2})?";
const months = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const level = "(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE|info|warning|error|debug)";

/** Who speaks; the named group says how. Tried before the prefixes that say nothing of it. */
const speakers: readonly RegExp[] = [
  /^\[(?:rank\s?|Rank:?\s?|rank:\s?|RANK\s?)(?<rank>\d{1,6})\]:?\s?/,
  /^\[\d+,(?<rank>\d{1,6})\](?:<std(?:out|err|diag)>)?:?\s?/,
  /^(?:\[|\()?(?:[Gg]lobal[ _])?[Rr]ank[ =:]{1,2}(?<rank>\d{1,6})(?:\]|\))?(?::|,|\s-|\s\||\])\s?/,
  /^\[default(?<localRank>\d{1,4})\]:?\s?/,
  /^\[(?:local[ _]?rank|LOCAL_RANK)[ :=]*(?<localRank>\d{1,4})\]:?\s?/,
  /^(?<task>\d{1,6}):\s/,
  /^\((?:[\w.]+ )?pid=\d+(?:, ip=(?<host>[\d.]+))?\)\s?/,
  // srun's and pdsh's labels; a name of a machine has a digit or a hyphen, and no word of a program ends so.
  /^(?<host>(?=[a-z0-9.-]*[\d-])(?!\d)[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*):\s/,
  // syslog's.
  new RegExp(`^${months}\\s+\\d{1,2} ${clock} (?<host>[\\w.-]+) [\\w./-]+(?:\\[\\d+\\])?: `),
];

const silentPrefixes: readonly RegExp[] = [
  /^\s+/,
  new RegExp(`^[\\[(]?${date}[T ]${clock}${zone}[\\])]?(?:\\s*[-|:,]\\s+|:?\\s|$)`),
  new RegExp(`^[\\[(]?${clock}[\\])]?(?:\\s*[-|:,]\\s+|\\s|$)`),
  new RegExp(`^[IWEFC]\\d{4,8} ${clock}\\s+(?:\\d+\\s+)?(?:[\\w./-]+:\\d+\\]\\s?)?`),
  new RegExp(`^\\[[IWEFC]\\d{4,8} ${clock}\\s(?:[\\w./-]+:\\d+\\]\\s?)`),
  /^\[\s*\d{1,9}\.\d{3,9}\]\s/,
  /^(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\s+(?=\S)/,
  new RegExp(`^\\[${level}\\s*\\]:?(?:\\s*[-|]\\s+|\\s|$)`),
  new RegExp(`^\\[${date}[T ]${clock}${zone}\\]\\[[\\w.-]+\\]\\[${level}\\s*\\]\\s?(?:-\\s)?`),
  new RegExp(`^${level}(?::[\\w.]+:\\s?|:\\s+|\\s+[-|]\\s+|\\s+\\||\\s+\\[[\\w./:-]+\\]\\s)`),
  new RegExp(`^\\[?[\\w./-]+:\\d+(?::[\\w<>]+)?\\]?(?:\\s*[-|]\\s+|\\]\\s|:\\s)`),
  /^\[[\w./-]+:\d+(?::[\w<>]+)?\]\s/,
  /^[a-z][\w.]* - /,
  /^\[[a-z][\w.-]*\]\s(?=[A-Z[]|step|iter)/,
  /^[|-]\s+/,
];

export function partsOf(text: string): { readonly speaker: Speaker; readonly body: string } {
  let body = text;
  const speaker: { -readonly [K in keyof Speaker]: Speaker[K] } = {};
  for (let found = 0; found < prefixesMax; found++) {
    const rest = withoutPrefix(body, speaker);
    if (rest === undefined || rest === body) break;
    body = rest;
  }
  return { speaker, body };
}

export function speakerOf(text: string): Speaker {
  const { speaker } = partsOf(text);
  if (speaker.rank !== undefined || speaker.task !== undefined || speaker.localRank !== undefined) return speaker;
  const within = /\[(?:[^[\]]*\s)?[Rr]ank:? ?(\d{1,6})\]/.exec(text);
  return within === null ? speaker : { ...speaker, rank: Number(within[1]) };
}

function withoutPrefix(text: string, speaker: { -readonly [K in keyof Speaker]: Speaker[K] }): string | undefined {
  for (const expression of speakers) {
    const match = expression.exec(text);
    if (match === null) continue;
    const { rank, task, localRank, host } = match.groups ?? {};
    if (rank !== undefined) speaker.rank ??= Number(rank);
    if (task !== undefined) speaker.task ??= Number(task);
    if (localRank !== undefined) speaker.localRank ??= Number(localRank);
    if (host !== undefined) speaker.host ??= host;
    return text.slice(match[0].length);
  }
  for (const expression of silentPrefixes) {
    const match = expression.exec(text);
    if (match !== null && match[0].length > 0) return text.slice(match[0].length);
  }
  return undefined;
}
