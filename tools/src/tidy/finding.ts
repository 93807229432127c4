/**
 * finding: what a rule says about one line, and how a line is excused.
 *
 * Keeps   an exception carries its reason: `tidy: <rule> because <reason>` in a comment on the line or on the one above. An
 *         exception without a reason, or that excuses nothing, is a finding itself.
 */
import { lineAt, type Source } from "./source.ts";

export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly what: string;
  readonly instead: string;
}

export type Rule = (source: Source, tree: Tree) => readonly Finding[];

/** All that the rules may ask about the repository. */
export interface Tree {
  readonly has: (path: string) => boolean;
  readonly read: (path: string) => string | undefined;
  readonly paths: readonly string[];
  /** `@reprise/core` → `packages/core`. */
  readonly folderOf: ReadonlyMap<string, string>;
}

export const show = (f: Finding) => `${f.path}:${f.line} ${f.rule}: ${f.what}; instead: ${f.instead}`;

export const isTest = (path: string) =>
  /\.(?:test|e2e|contract|bench|example)\.ts$|(?:^|\/)testing\/|(?:^|\/)testdata\/|^e2e\/|^sim\//.test(path);
export const isTool = (path: string) => path.startsWith("tools/") || path === "vitest.config.ts";
export const isGenerated = (path: string) =>
  path.startsWith("packages/protocol/src/gen/") || path === "package-lock.json";
export const isTypeScript = (path: string) => /\.tsx?$/.test(path);

interface Excuse {
  readonly line: number;
  readonly rule: string;
  readonly because: string;
}

const excuse = /(?:\/\/|\/\*|#|<!--)\s*tidy: ([a-z-]+)(?: because (.*?))?\s*(?:\*\/|-->)?$/gm;

function excusesIn({ text, comments, path }: Source): Excuse[] {
  const parts = isTypeScript(path) ? comments : [{ at: 0, text }];
  return parts.flatMap((part) =>
    [...part.text.matchAll(excuse)].map((m) => ({
      line: lineAt(text, part.at + m.index),
      rule: m[1] ?? "",
      because: m[2] ?? "",
    })),
  );
}

/** What is left of the findings in one file once its exceptions are taken, and what is wrong with these. */
export function excused(source: Source, findings: readonly Finding[]): readonly Finding[] {
  const excuses = excusesIn(source);
  const covers = (e: Excuse, f: Finding) => e.rule === f.rule && (e.line === f.line || e.line === f.line - 1);
  const left = findings.filter((f) => !excuses.some((e) => covers(e, f)));
  const wrong = excuses.flatMap((e): Finding[] => {
    const at = { path: source.path, line: e.line, rule: "exception" };
    if (!findings.some((f) => covers(e, f)))
      return [{ ...at, what: `nothing here breaks \`${e.rule}\``, instead: "remove the exception" }];
    if (e.because.split(/\s+/).length < 3)
      return [
        { ...at, what: `\`${e.rule}\` is excused without a reason`, instead: `tidy: ${e.rule} because <reason>` },
      ];
    return [];
  });
  return [...left, ...wrong];
}
