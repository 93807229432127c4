/**
 * tidy: the rules that matter and that no other tool checks. `node tools/src/tidy.ts` reads the whole repository.
 *
 * Gives   one line a finding: `file:line rule: what; instead: …`. Exit code 1 when there is one.
 * Keeps   nothing is changed. Files that git ignores are not read.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bans } from "./tidy/bans.ts";
import { length, longFiles, names, words } from "./tidy/files.ts";
import { excused, show, type Finding, type Rule, type Tree } from "./tidy/finding.ts";
import { imports } from "./tidy/imports.ts";
import { commands } from "./tidy/commands.ts";
import { markdown } from "./tidy/markdown.ts";
import { readSource } from "./tidy/source.ts";

const rules: readonly Rule[] = [imports, bans, names, length, words, markdown, commands];
const isText = (path: string) =>
  /\.(?:tsx?|mjs|js|json|md|ya?ml|proto|sh|sbatch|toml|css|html)$|(?:^|\/)(?:Makefile|reprise|run)$/.test(path);

/** All findings of a tree, file by file in its order. */
export function tidy(tree: Tree): readonly Finding[] {
  const found = tree.paths.flatMap((path) => {
    const source = readSource(path, tree.read(path) ?? "");
    return excused(
      source,
      rules.flatMap((rule) => rule(source, tree)),
    );
  });
  const gone = Object.keys(longFiles).filter((path) => !tree.has(path));
  return [
    ...found,
    ...gone.map((path) => ({
      path,
      line: 1,
      rule: "file-length",
      what: "is gone",
      instead: "remove its entry from longFiles",
    })),
  ];
}

export function readTree(root: string): Tree {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const isFile = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;
  const paths = [...new Set(listed.split("\0"))].filter((path) => isText(path) && isFile(path)).sort();
  const read = (path: string) => (isFile(path) ? readFileSync(join(root, path), "utf8") : undefined);
  return { paths, read, has: (path) => existsSync(join(root, path)), folderOf: workspaces(paths, read) };
}

export function workspaces(paths: readonly string[], read: Tree["read"]): ReadonlyMap<string, string> {
  const manifests = paths.filter((path) => path.endsWith("/package.json"));
  return new Map(
    manifests.map((path) => {
      const { name } = JSON.parse(read(path) ?? "{}") as { name?: string };
      return [name ?? path, path.slice(0, -"/package.json".length)];
    }),
  );
}

if (import.meta.main) {
  const findings = tidy(readTree(fileURLToPath(new URL("../..", import.meta.url))));
  for (const finding of findings) console.log(show(finding));
  if (findings.length > 0) {
    console.log(`tidy: ${findings.length} findings`);
    process.exitCode = 1;
  }
}
