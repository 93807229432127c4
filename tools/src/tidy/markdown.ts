/**
 * markdown: what a document says about the repository must be so.
 *
 * Takes   every .md file. Fenced blocks are examples and are not read.
 * Keeps   a link, a path or a symbol that a document names exists; no document names a line number; decision records and the
 *         changelog have the headings that their readers rely on.
 */
import { posix } from "node:path";
import { fencesIn } from "../documents/blocks.ts";
import type { Finding, Rule, Tree } from "./finding.ts";

interface Heading {
  readonly level: number;
  readonly text: string;
  readonly line: number;
}

export const recordHeadings = [
  "Question",
  "Answer",
  "Because",
  "What else",
  "What it costs",
  "How we would know it is wrong",
];
export const changelogHeadings = ["You must act", "Safety", "Everything else"];

export const markdown: Rule = ({ path, text }, tree) => {
  if (!path.endsWith(".md")) return [];
  const lines = withoutFences(text);
  const headings = headingsOf(lines);
  return [
    ...title(path, headings),
    ...lines.flatMap((line, i) => [...links(path, line, i + 1, tree), ...named(path, line, i + 1, tree)]),
    ...(/^docs\/decisions\/\d/.test(path) ? record(path, headings, tree) : []),
    ...(path === "CHANGELOG.md" ? changelog(path, headings) : []),
  ];
};

/** Line for line; what stands in a fence is empty. */
function withoutFences(text: string): string[] {
  const lines = text.split("\n");
  for (const { from, to } of fencesIn(lines)) lines.fill("", from, to + 1);
  return lines;
}

const headingsOf = (lines: readonly string[]): Heading[] =>
  lines.flatMap((line, i) => {
    const m = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
    return m === null ? [] : [{ level: m[1]?.length ?? 0, text: m[2] ?? "", line: i + 1 }];
  });

function title(path: string, headings: readonly Heading[]): Finding[] {
  const titles = headings.filter((h) => h.level === 1);
  if (titles.length === 1 && headings[0]?.level === 1) return [];
  const line = titles[1]?.line ?? 1;
  return [
    { path, line, rule: "title", what: `${titles.length} titles`, instead: "one `# title`, first of all headings" },
  ];
}

function links(path: string, line: string, number: number, tree: Tree): Finding[] {
  return [...line.replace(/`[^`]*`/g, "").matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g)].flatMap((m): Finding[] => {
    const [file = "", anchor] = (m[1] ?? "").split("#");
    if (/^[a-z]+:/.test(file)) return [];
    const target = file === "" ? path : posix.join(posix.dirname(path), decodeURI(file)).replace(/\/$/, "");
    const at = { path, line: number, rule: "link" };
    if (!tree.has(target))
      return [{ ...at, what: `${m[1]} does not exist`, instead: "a path from this file to one that does" }];
    if (anchor === undefined || !target.endsWith(".md")) return [];
    const anchors = headingsOf(withoutFences(tree.read(target) ?? "")).map((h) => anchorOf(h.text));
    return anchors.includes(anchor)
      ? []
      : [{ ...at, what: `${target} has no heading #${anchor}`, instead: "the heading's words" }];
  });
}

/** The place of a heading in its page, as forges make it. */
export const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** `apps/x/src/y.ts`, `apps/x/src/y.ts#symbol`, with `*` for any name; what holds `<`, `…` or `{` is a form and no name. */
function named(path: string, line: string, number: number, tree: Tree): Finding[] {
  return [...line.matchAll(/`((?:packages|apps|tools|e2e|sim|docs|signatures|bin|\.ci)\/[^\s`]*)`/g)].flatMap(
    (m): Finding[] => {
      const name = m[1] ?? "";
      if (/[<…{(]/.test(name)) return [];
      const [file = "", symbol] = name.split(/[#:]/);
      const at = { path, line: number, rule: "named" };
      if (symbol !== undefined && /^L?\d/.test(symbol))
        return [{ ...at, what: `\`${name}\` has a line number`, instead: "file#symbol" }];
      const target = file.replace(/\/$/, "");
      const matches = target.includes("*") ? tree.paths.some((p) => globOf(target).test(p)) : tree.has(target);
      if (!matches) return [{ ...at, what: `\`${file}\` does not exist`, instead: "a path from the root that does" }];
      if (symbol === undefined || new RegExp(`\\b${symbol.replace(/\W/g, "\\$&")}\\b`).test(tree.read(target) ?? ""))
        return [];
      return [{ ...at, what: `\`${file}\` has no \`${symbol}\``, instead: "a symbol that it has" }];
    },
  );
}

const globOf = (pattern: string) =>
  new RegExp(
    `^${pattern.replace(/[.+?^$()|[\]\\]/g, "\\$&").replace(/\*+/g, (stars) => (stars.length > 1 ? ".*" : "[^/]*"))}(?:/|$)`,
  );

function record(path: string, headings: readonly Heading[], tree: Tree): Finding[] {
  const at = { path, line: 1, rule: "record" };
  const second = headings.filter((h) => h.level === 2).map((h) => h.text);
  const number = /\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1];
  const same = tree.paths.filter((p) => number !== undefined && p.startsWith(`docs/decisions/${number}-`));
  return [
    ...(number === undefined
      ? [{ ...at, what: "not named by number and answer", instead: "docs/decisions/0007-short-answer.md" }]
      : []),
    ...(same.length > 1 ? [{ ...at, what: `number ${number} is taken twice`, instead: "the next free number" }] : []),
    ...(second.join("·") === recordHeadings.join("·")
      ? []
      : [{ ...at, what: `the headings are: ${second.join(" · ")}`, instead: recordHeadings.join(" · ") }]),
  ];
}

function changelog(path: string, headings: readonly Heading[]): Finding[] {
  let last = -1;
  return headings.flatMap((h): Finding[] => {
    if (h.level === 2) last = -1;
    if (h.level !== 3) return [];
    const index = changelogHeadings.indexOf(h.text);
    const isRight = index > last;
    if (isRight) last = index;
    return isRight
      ? []
      : [
          {
            path,
            line: h.line,
            rule: "changelog",
            what: `\`${h.text}\` here`,
            instead: `in this order: ${changelogHeadings.join(" · ")}`,
          },
        ];
  });
}
