/** A repository of a few files in memory, for the tests of the rules. */
import { tidy, workspaces } from "../tidy.ts";
import { longFiles } from "../tidy/files.ts";
import { show, type Tree } from "../tidy/finding.ts";

const areas = [
  "packages/core",
  "packages/protocol",
  "packages/runtime",
  "packages/slurm-lab",
  "apps/server",
  "apps/watcher",
  "apps/sac",
  "apps/cli",
];
const manifests = areas.map((area) => [`${area}/package.json`, `{"name": "@reprise/${area.split("/")[1] ?? ""}"}`]);

export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const all = new Map<string, string>([...Object.entries(files), ...(manifests as [string, string][])]);
  const paths = [...all.keys()];
  const isFolder = (path: string) => paths.some((p) => p.startsWith(`${path}/`));
  const read = (path: string) => all.get(path);
  return {
    paths,
    read,
    folderOf: workspaces(paths, read),
    has: (path) => all.has(path) || isFolder(path) || path in longFiles,
  };
}

/** The findings as lines, `path:line rule: what; instead: …`. */
export const findingsIn = (files: Readonly<Record<string, string>>) => tidy(treeOf(files)).map(show);

/** The rules that one file breaks, in order. */
export const rulesBrokenBy = (path: string, text: string) => tidy(treeOf({ [path]: text })).map((f) => f.rule);
