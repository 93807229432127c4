/**
 * files: names, length, and what must not stand in any text of the repository.
 *
 * Keeps   what grows past the limit is asked why: `longFiles` is a ratchet, an entry may only shrink and go.
 */
import { isGenerated, isTest, isTypeScript, type Finding, type Rule } from "./finding.ts";
import { lineAt, type Source } from "./source.ts";

const linesMax = 250;
const testLinesMax = 500;

/** Longer than the limit, and why. `lines` is what it may not pass. */
export const longFiles: Readonly<Record<string, { readonly lines: number; readonly because: string }>> = {
  "packages/core/src/nouns.ts": {
    lines: 420,
    because: "the one list of the domain's words; most of it is what each field means",
  },
  "apps/server/src/manager/store.ts": { lines: 320, because: "one contract, read as one; its bodies are split" },
};

const emptyNames = new Set([
  "util",
  "utils",
  "helper",
  "helpers",
  "common",
  "misc",
  "base",
  "info",
  "handler",
  "handlers",
  "impl",
  "lib",
]);

export const names: Rule = ({ path }) => {
  const at = { path, line: 1, rule: "file-name" };
  const empty = path
    .split("/")
    .flatMap((part) => part.split(/[-._]/))
    .find((word) => emptyNames.has(word));
  if (empty !== undefined)
    return [
      { ...at, what: `\`${empty}\` says nothing`, instead: "the noun or the verb it holds, beside its first user" },
    ];
  if (/(?:^|\/)index\.tsx?$/.test(path)) return [{ ...at, what: "an index.ts", instead: "import the file itself" }];
  if (isTypeScript(path) && !isGenerated(path) && /(?:^|\/)[^/]*[A-Z_][^/]*$/.test(path))
    return [{ ...at, what: "not in kebab-case", instead: "small letters and hyphens" }];
  return [];
};

export const length: Rule = ({ path, text }) => {
  if (!isTypeScript(path) || isGenerated(path)) return [];
  const lines = text.trimEnd().split("\n").length;
  const usual = isTest(path) ? testLinesMax : linesMax;
  const entry = longFiles[path];
  const at = { path, line: lines, rule: "file-length" };
  if (entry !== undefined && lines <= usual)
    return [
      {
        ...at,
        what: `${lines} lines is no longer too long`,
        instead: "remove its entry from longFiles in tools/src/tidy/files.ts",
      },
    ];
  const limit = entry?.lines ?? usual;
  return lines > limit
    ? [{ ...at, what: `${lines} lines, at most ${limit}`, instead: "one noun or one verb a file" }]
    : [];
};

const conflict = /^(?:<{7}|>{7}) /gm;
const unfinished = /\b(?:TODO|FIXME|XXX|HACK)\b/g;
const machine = /(?<![\w.$}/~-])\/(?:root|home|work)\/[\w.-]*/g;
/** A test's job may live in the home of a user who does not exist. */
const isInvented = (path: string, name: string) => isTest(path) && name.startsWith("/home/");
/** Real log lines and listings keep the paths they were found with. */
const isFound = (path: string) =>
  /(?:^|\/)testdata\//.test(path) || path.startsWith("signatures/") || path.startsWith("tools/src/tidy/");

export const words: Rule = (source) => {
  if (isGenerated(source.path) || isFound(source.path)) return [];
  const left = unfinishedIn(source).map(({ at, word }) =>
    finding(source, at, "unfinished", `\`${word}\``, "finish it, or open an issue and say what is not built"),
  );
  const found = [...source.text.matchAll(machine)].filter((m) => !isInvented(source.path, m[0]));
  const paths = found.map((m) =>
    finding(
      source,
      m.index,
      "machine-path",
      `\`${m[0]}\` is a path of one machine`,
      "an argument, a temporary folder, or import.meta.url",
    ),
  );
  const unmerged = [...source.text.matchAll(conflict)].map((m) =>
    finding(source, m.index, "conflict", "a mark of a merge", "what both sides wanted"),
  );
  return [...left, ...paths, ...unmerged];
};

function unfinishedIn({ path, text, comments }: Source): { at: number; word: string }[] {
  const parts = isTypeScript(path) ? comments : [{ at: 0, text }];
  return parts.flatMap((part) =>
    [...part.text.matchAll(unfinished)].map((m) => ({ at: part.at + m.index, word: m[0] })),
  );
}

const finding = ({ path, text }: Source, at: number, rule: string, what: string, instead: string): Finding => ({
  path,
  line: lineAt(text, at),
  rule,
  what,
  instead,
});
