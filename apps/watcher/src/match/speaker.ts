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

/** What a line may begin with, and its first characters: most expressions are then never tried. */
interface Prefix {
  readonly begins: string;
  readonly expression: RegExp;
}
const prefix = (begins: string, expression: RegExp | string): Prefix => ({
  begins,
  expression: new RegExp(expression),
});
const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const word = `${digits}_${lower}${lower.toUpperCase()}`;

/** Who speaks; the named group says how. Tried before the prefixes that say nothing of it. */
const speakers: readonly Prefix[] = [
  prefix("[", /^\[(?:rank\s?|Rank:?\s?|rank:\s?|RANK\s?)(?<rank>\d{1,6})\]:?\s?/),
  prefix("[", /^\[\d+,(?<rank>\d{1,6})\](?:<std(?:out|err|diag)>)?:?\s?/),
  prefix("[(GgRr", /^(?:\[|\()?(?:[Gg]lobal[ _])?[Rr]ank[ =:]{1,2}(?<rank>\d{1,6})(?:\]|\))?(?::|,|\s-|\s\||\])\s?/),
  prefix("[", /^\[default(?<localRank>\d{1,4})\]:?\s?/),
  prefix("[", /^\[(?:local[ _]?rank|LOCAL_RANK)[ :=]*(?<localRank>\d{1,4})\]:?\s?/),
  prefix(digits, /^(?<task>\d{1,6}):\s/),
  prefix("(", /^\((?:[\w.]+ )?pid=\d+(?:, ip=(?<host>[\d.]+))?\)\s?/),
  // srun's and pdsh's labels; a name of a machine has a digit or a hyphen, and no word of a program ends so.
  prefix(lower, /^(?<host>(?=[a-z0-9.-]*[\d-])(?!\d)[a-z][a-z0-9]*(?:[.-][a-z0-9]+)*):\s/),
  // syslog's.
  prefix("JFMASOND", `^${months}\\s+\\d{1,2} ${clock} (?<host>[\\w.-]+) [\\w./-]+(?:\\[\\d+\\])?: `),
];

const silentPrefixes: readonly Prefix[] = [
  prefix(`[(${digits}`, `^[\\[(]?${date}[T ]${clock}${zone}[\\])]?(?:\\s*[-|:,]\\s+|:?\\s|$)`),
  prefix(`[(${digits}`, `^[\\[(]?${clock}[\\])]?(?:\\s*[-|:,]\\s+|\\s|$)`),
  prefix("IWEFC", `^[IWEFC]\\d{4,8} ${clock}\\s+(?:\\d+\\s+)?(?:[\\w./-]+:\\d+\\]\\s?)?`),
  prefix("[", `^\\[[IWEFC]\\d{4,8} ${clock}\\s(?:[\\w./-]+:\\d+\\]\\s?)`),
  prefix("[", /^\[\s*\d{1,9}\.\d{3,9}\]\s/),
  prefix("TDINWECF", /^(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\s+(?=\S)/),
  prefix("[", `^\\[${level}\\s*\\]:?(?:\\s*[-|]\\s+|\\s|$)`),
  prefix("[", `^\\[${date}[T ]${clock}${zone}\\]\\[[\\w.-]+\\]\\[${level}\\s*\\]\\s?(?:-\\s)?`),
  prefix(word, `^${level}(?::[\\w.]+:\\s?|:\\s+|\\s+[-|]\\s+|\\s+\\||\\s+\\[[\\w./:-]+\\]\\s)`),
  prefix(`[./-${word}`, `^\\[?[\\w./-]+:\\d+(?::[\\w<>]+)?\\]?(?:\\s*[-|]\\s+|\\]\\s|:\\s)`),
  prefix("[", /^\[[\w./-]+:\d+(?::[\w<>]+)?\]\s/),
  // transformers' own logger.
  prefix("[", `^\\[${level}\\|[\\w./-]+:\\d+\\] ${date} ${clock} >> `),
  prefix(lower, /^[a-z][\w.]* - /),
  prefix("[", /^\[[a-z][\w.-]*\]\s(?=[A-Z[]|step|iter)/),
  prefix("|-", /^[|-]\s+/),
];

/** By the code of the first character. */
const speakersOf = byFirst(speakers);
const silentPrefixesOf = byFirst(silentPrefixes);

function byFirst(prefixes: readonly Prefix[]): readonly (readonly RegExp[])[] {
  return Array.from({ length: 128 }, (_, code) =>
    prefixes.filter(({ begins }) => begins.includes(String.fromCharCode(code))).map(({ expression }) => expression),
  );
}

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
  const blank = text.length - text.trimStart().length;
  if (blank > 0) return text.slice(blank);
  const first = text.charCodeAt(0);
  for (const expression of speakersOf[first] ?? []) {
    const match = expression.exec(text);
    if (match === null) continue;
    const { rank, task, localRank, host } = match.groups ?? {};
    if (rank !== undefined) speaker.rank ??= Number(rank);
    if (task !== undefined) speaker.task ??= Number(task);
    if (localRank !== undefined) speaker.localRank ??= Number(localRank);
    if (host !== undefined) speaker.host ??= host;
    return text.slice(match[0].length);
  }
  for (const expression of silentPrefixesOf[first] ?? []) {
    const match = expression.exec(text);
    if (match !== null && match[0].length > 0) return text.slice(match[0].length);
  }
  return undefined;
}
