/**
 * node-files: which files hold the log of one node.
 *
 * Takes         the site's patterns: `%N` is the node as Slurm names it, `%n` its name up to the first dot, `%c` the cluster, `%%` a
 *               percent sign; `*` any characters within one name.
 * Gives         absolute paths, each once; none for a node whose name could lead out of its folder.
 * Pure          but for `names`, which may throw `NotNow`.
 */
import { filesMatching } from "../log-paths.ts";

/** A name comes from whoever publishes jobs, and becomes part of a path. */
const isPlain = (name: string) => /^[\w-][\w.-]*$/.test(name);

export interface NodeFile {
  readonly path: string;
  readonly isGlob: boolean;
}

export function nodeFiles(
  patterns: readonly string[],
  { node, cluster }: { readonly node: string; readonly cluster: string },
  names: (folder: string) => readonly string[] | undefined,
  max: number,
): readonly NodeFile[] {
  if (!isPlain(node)) return [];
  const files = new Map<string, NodeFile>();
  for (const pattern of patterns) {
    if (pattern.includes("%c") && !isPlain(cluster)) continue;
    const path = pattern.replaceAll(/%([Nnc%])/g, (_, field: string) =>
      field === "N" ? node : field === "n" ? node.split(".", 1)[0]! : field === "c" ? cluster : "%",
    );
    const isGlob = path.includes("*");
    for (const file of isGlob ? filesMatching(path, names, max) : [path]) files.set(file, { path: file, isGlob });
  }
  return [...files.values()].slice(0, max);
}
