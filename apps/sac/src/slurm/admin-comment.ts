/**
 * admin-comment: our one JSON key in a job's AdminComment, beside whatever other tools keep there.
 *
 * Takes         the comment as Slurm has it: `{"reprise":{"id":"…","generation":1,"step":"intent","at":1795964365000},"jr":7}`.
 * Gives         reading: our marker, or `undefined`. Merging: the whole new comment, or `undefined`: it stays as it is.
 * Pure, total
 * Keeps         every byte of what is not ours; a comment that is no JSON object, or names us twice, stays as it is and the
 *               journal alone decides.
 * Bound         the comment Slurm took in our trials: 65 000 bytes on 22.05; we stop at `commentBytesMax`.
 */
import type { Marker } from "@reprise/core/plan/work.ts";

const key = "reprise";
const commentBytesMax = 60_000;

/** Ours, when it is there once and can be read. */
export function readMarker(adminComment: string): Marker | undefined {
  const [ours, ...more] = membersOf(adminComment)?.filter((member) => member.key === key) ?? [];
  if (ours === undefined || more.length > 0) return undefined;
  const value: unknown = JSON.parse(ours.value);
  if (typeof value !== "object" || value === null) return undefined;
  const { id, generation, step, at } = value as Record<string, unknown>;
  if (typeof id !== "string" || id === "" || !isStep(step)) return undefined;
  if (!Number.isSafeInteger(generation) || !Number.isSafeInteger(at)) return undefined;
  return { id, generation: generation as number, step, at: at as number };
}

const isStep = (step: unknown): step is Marker["step"] => step === "intent" || step === "held" || step === "released";

/** @returns  The whole new comment; `undefined` when it must not be written. */
export function mergeMarker(adminComment: string, marker: Marker): string | undefined {
  const { id, generation, step, at } = marker;
  const member = `${JSON.stringify(key)}:${JSON.stringify({ id, generation, step, at })}`;
  const merged = adminComment.trim() === "" ? `{${member}}` : splice(adminComment, member);
  return merged === undefined || !fits(merged) ? undefined : merged;
}

/** A UTF-16 unit has at most three bytes: short ones need not be counted. */
const fits = (text: string) =>
  text.length * 3 <= commentBytesMax || new TextEncoder().encode(text).length <= commentBytesMax;

function splice(text: string, member: string): string | undefined {
  const members = membersOf(text);
  if (members === undefined) return undefined;
  const ours = members.filter((each) => each.key === key);
  if (ours.length > 1) return undefined;
  if (ours[0] !== undefined) return text.slice(0, ours[0].start) + member + text.slice(ours[0].end);
  const open = text.indexOf("{") + 1;
  return `${text.slice(0, open)}${member}${members.length > 0 ? "," : ""}${text.slice(open)}`;
}

interface Member {
  readonly key: string;
  readonly value: string;
  /** From the first quote of the key to behind the value, as offsets into the text. */
  readonly start: number;
  readonly end: number;
}

/** The last comments that were taken apart: every look asks again, for each job that something is to be done with. */
const known = new Map<string, readonly Member[] | undefined>();
const [knownMax, knownCharsMax] = [100, 4_096];

/** The members of the outermost object, where they stand. `undefined`: it is no JSON object. */
function membersOf(text: string): readonly Member[] | undefined {
  if (text === "") return undefined;
  if (known.has(text)) return known.get(text);
  const members = takenApart(text);
  if (known.size >= knownMax) known.clear();
  if (text.length <= knownCharsMax) known.set(text, members);
  return members;
}

function takenApart(text: string): readonly Member[] | undefined {
  if (!isJsonObject(text)) return undefined;
  const members: Member[] = [];
  let at = skipSpace(text, text.indexOf("{") + 1);
  while (text[at] !== "}") {
    const start = at;
    const keyEnd = stringEnd(text, start);
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1); // behind the colon
    const end = valueEnd(text, valueStart);
    members.push({
      key: JSON.parse(text.slice(start, keyEnd)) as string,
      value: text.slice(valueStart, end),
      start,
      end,
    });
    at = skipSpace(text, end);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return members;
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

// The three below walk text that JSON.parse has accepted, so they need not look for errors.

function skipSpace(text: string, at: number): number {
  while (" \t\r\n".includes(text[at] ?? "x")) at++;
  return at;
}

/** @param at  the opening quote. @returns  behind the closing one. */
function stringEnd(text: string, at: number): number {
  for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
  return at + 1;
}

function valueEnd(text: string, at: number): number {
  let depth = 0;
  for (;;) {
    const char = text[at] ?? "";
    if (char === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (depth === 0 && (char === "," || char === "}" || " \t\r\n".includes(char))) return at;
    if (char === "{" || char === "[") depth++;
    if (char === "}" || char === "]") depth--;
    at++;
    if (depth === 0 && (char === "}" || char === "]")) return at;
  }
}
