/**
 * object-reader: takes typed values out of one JSON object, key by key, and notes everything that is wrong with it.
 *
 * In the loop   JSON tree → **ObjectReader** → Policy
 * Gives         for each key its value, or the fallback when it is absent or broken. Whether anything was broken stands in
 *               `notes.problems`: a fallback beside a problem is never used.
 * Keeps         a problem names the key, the value and what was expected; an unknown key is a warning, never silently dropped.
 */
import type { JsonMember, JsonNode, ObjectNode } from "./json-reader.ts";
import { valueOf } from "./json-reader.ts";
import { nearestName } from "./nearest-name.ts";

export interface Problem {
  readonly sentence: string;
  /** In the text that was read. */
  readonly position: number;
}

/** What was found while reading; shared by the readers of nested objects. */
export class Notes {
  readonly problems: Problem[] = [];
  readonly warnings: string[] = [];
  /** Keys that were given, e.g. `max_requeue_times`, `anomaly_detection.slowdown`. */
  readonly given = new Set<string>();
}

/** How one of our keys and values is spelled where it was written. */
export interface Dialect {
  /** The first is the proper one. None: this key does not exist here. */
  readonly spellings: (key: string) => readonly string[];
  /** A value out of a list of choices. */
  readonly spellChoice: (key: string, choice: string) => string;
  /** Whether a value only says that nothing was said. */
  readonly isUnset: (node: JsonNode) => boolean;
  /** Whether places in the text mean anything to the author. */
  readonly hasPositions: boolean;
}

export class ObjectReader {
  private readonly node: ObjectNode;
  private readonly path: string;
  private readonly prefix: string;
  private readonly dialect: Dialect;
  private readonly notes: Notes;
  private readonly knownKeys: string[] = [];

  /** @param path of the object in its text, e.g. `recovery`. @param prefix of its keys in `notes.given`, e.g. `anomaly_detection.` */
  constructor(node: ObjectNode, path: string, prefix: string, dialect: Dialect, notes: Notes) {
    this.node = node;
    this.path = path;
    this.prefix = prefix;
    this.dialect = dialect;
    this.notes = notes;
  }

  boolean<F>(key: string, fallback: F): boolean | F {
    const node = this.take(key);
    if (node === undefined) return fallback;
    return node.kind === "boolean" ? node.value : this.refuse(key, node, "true or false", fallback);
  }

  integer(key: string, range: { readonly min: number; readonly max: number }, fallback: number): number {
    const node = this.take(key);
    if (node === undefined) return fallback;
    const isRight =
      node.kind === "number" && Number.isInteger(node.value) && node.value >= range.min && node.value <= range.max;
    return isRight ? node.value : this.refuse(key, node, `an integer from ${range.min} to ${range.max}`, fallback);
  }

  positive<F>(key: string, fallback: F): number | F {
    const node = this.take(key);
    if (node === undefined) return fallback;
    const isRight = node.kind === "number" && node.value > 0 && Number.isFinite(node.value);
    return isRight ? node.value : this.refuse(key, node, "a number above 0", fallback);
  }

  text(key: string, charsMax: number): string | undefined {
    const node = this.take(key);
    if (node === undefined) return undefined;
    if (node.kind === "string" && isText(node.value, charsMax)) return node.value;
    return this.refuse(key, node, `a text of 1 to ${charsMax} characters`, undefined);
  }

  choice<C extends string, F>(key: string, choices: readonly C[], fallback: F): C | F {
    const node = this.take(key);
    if (node === undefined) return fallback;
    const spelled = choices.map((choice) => this.dialect.spellChoice(key, choice));
    const chosen = node.kind === "string" ? choices[spelled.indexOf(node.value)] : undefined;
    if (chosen !== undefined) return chosen;
    const meant = node.kind === "string" ? nearestName(node.value, spelled) : undefined;
    const hint = meant === undefined ? "" : ` (did you mean "${meant}"?)`;
    return this.refuse(key, node, `one of ${spelled.map((choice) => `"${choice}"`).join(", ")}${hint}`, fallback);
  }

  /** @param item reads one element, or says what was expected in its place. */
  list<T>(key: string, expected: string, item: (node: JsonNode, path: string) => T | Expected): T[] | undefined {
    const node = this.take(key);
    if (node === undefined) return undefined;
    if (node.kind !== "array") return this.refuse(key, node, expected, undefined);
    const items: T[] = [];
    node.items.forEach((element, index) => {
      const path = `${this.pathOf(key)}[${index}]`;
      const read = item(element, path);
      if (read instanceof Expected) this.problem(element.at, `${path} is ${show(element)}: expected ${read.what}.`);
      else items.push(read);
    });
    return items;
  }

  /** Reads an object in the place of a key; undefined when it is absent or no object. */
  object(key: string): ObjectReader | undefined {
    const node = this.take(key);
    if (node === undefined) return undefined;
    if (node.kind === "object") return this.nested(node, this.pathOf(key), `${key}.`);
    return this.refuse(key, node, "an object", undefined);
  }

  nested(node: ObjectNode, path: string, prefix: string): ObjectReader {
    return new ObjectReader(node, path, prefix, this.dialect, this.notes);
  }

  /** Notes that a key's value, though well formed, cannot be. */
  reject(key: string, expected: string): void {
    const member = this.find(key);
    if (member !== undefined) this.refuse(key, member.value, expected, undefined);
  }

  warn(sentence: string): void {
    this.notes.warnings.push(sentence);
  }

  has(key: string): boolean {
    return this.find(key) !== undefined;
  }

  /** Where the key's value begins. */
  positionOf(key: string): number {
    return this.find(key)?.value.at ?? this.node.at;
  }

  /** `recovery.max_requeue_times`, as its author spells it. */
  pathOf(key: string): string {
    return `${this.path}.${this.spell(key)}`;
  }

  spell(key: string): string {
    return this.dialect.spellings(key)[0] ?? key;
  }

  /** To be called when every key has been read. */
  finish(): readonly JsonMember[] {
    const unknown = this.unknownMembers();
    for (const member of unknown) this.warn(`${this.path}.${this.describeUnknown(member)}, and is ignored.`);
    return unknown;
  }

  /** `max_requeue_tmes (position 14) is not a known key (did you mean "max_requeue_times"?)`. */
  describeUnknown({ key, at }: JsonMember): string {
    const meant = nearestName(key, this.knownKeys);
    const where = this.dialect.hasPositions ? ` (position ${at})` : "";
    return `${key}${where} is not a known key${meant === undefined ? "" : ` (did you mean "${meant}"?)`}`;
  }

  private unknownMembers(): readonly JsonMember[] {
    return this.node.members.filter(({ key }) => !this.knownKeys.includes(key));
  }

  /** The key's value, if it was given; once for each key, since duplicates are noted here. */
  private take(key: string): JsonNode | undefined {
    const spellings = this.dialect.spellings(key);
    this.knownKeys.push(...spellings);
    const found = this.find(key);
    if (found === undefined) return undefined;
    for (const other of this.node.members) {
      if (other === found || !spellings.includes(other.key)) continue;
      if (other.key === found.key) this.problem(other.at, `${this.path}.${other.key} is given twice.`);
      else this.warn(`${this.path}.${other.key} is ignored, because ${found.key} is given too.`);
    }
    if (this.dialect.isUnset(found.value)) return undefined;
    this.notes.given.add(this.prefix + key);
    return found.value;
  }

  private find(key: string): JsonMember | undefined {
    for (const spelling of this.dialect.spellings(key)) {
      const member = this.node.members.find((candidate) => candidate.key === spelling);
      if (member !== undefined) return member;
    }
    return undefined;
  }

  private refuse<F>(key: string, node: JsonNode, expected: string, fallback: F): F {
    const spelling = this.find(key)?.key ?? key;
    this.problem(node.at, `${this.path}.${spelling} is ${show(node)}: expected ${expected}.`);
    return fallback;
  }

  private problem(position: number, sentence: string): void {
    this.notes.problems.push({ position, sentence });
  }
}

/** What an element of a list should have been. */
export class Expected {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

export function isText(text: string, charsMax: number): boolean {
  return text.trim() !== "" && [...text].length <= charsMax;
}

/** A value as its author wrote it, short enough for a sentence. */
export function show(node: JsonNode): string {
  const text = node.kind === "number" ? String(node.value) : JSON.stringify(valueOf(node));
  return text.length <= shownCharsMax ? text : `${text.slice(0, shownCharsMax)}…`;
}
const shownCharsMax = 80;
