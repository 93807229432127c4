/** mutate: requests for a fuzzer: those of a corpus, with some of it cut out, doubled, or replaced by what has done harm elsewhere. */
import fc from "fast-check";

/** As in corpus/requests.jsonl. */
export type RawRequest = readonly [method: string, target: string, body?: string];

/** One JSON array a line. */
export function readCorpus(text: string): [method: string, target: string, body?: string][] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as [string, string, string?]);
}

const harmful = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.json({ maxDepth: 3 }),
  fc.integer().map(String),
  fc.constantFrom(
    ...["%", "%00", "%FF", "%2F", ":", "/", "?", "&", "=", "[]", "..", '"', "{", "}", "[", "]", ",", "null", "true", "-1", "0"],
    ...["1e999", "\u0000", "\ud800", "\u2028", "__proto__", "constructor", "toString", "9223372036854775808", "2147483648"],
  ),
);

const edit = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), cut: fc.nat(12), put: harmful });
const edited = (text: string, { at, cut, put }: { at: number; cut: number; put: string }): string => {
  const from = Math.floor(at * text.length);
  return text.slice(0, from) + put + text.slice(from + cut);
};

export function mutated(corpus: readonly RawRequest[]): fc.Arbitrary<RawRequest> {
  const edits = fc.array(edit, { maxLength: 3 });
  const bodies = fc.option(fc.constantFrom(...corpus.map(([, , body = ""]) => body)), { freq: 4 });
  return fc.tuple(fc.constantFrom(...corpus), edits, edits, bodies).map(([[method, target, own = ""], inTarget, inBody, other]) => [
    method,
    inTarget.reduce(edited, target),
    inBody.reduce(edited, other ?? own),
  ]);
}
