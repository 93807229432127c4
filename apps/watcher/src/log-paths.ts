/**
 * log-paths: which files hold the output of one attempt.
 *
 * Takes         Slurm's stdout and stderr, or the author's `log_paths`, with `%` fields as `man sbatch` has them.
 * Gives         absolute paths, each once; `*` (in `log_paths` only) for what a folder must be asked. Or why a pattern
 *               cannot be resolved: then silence in it means nothing.
 * Pure
 * Source        man sbatch, "filename pattern"; Slurm's own expansion for batch jobs: `%J` and `%A` of a plain job are its
 *               ID, `%t` and `%n` are 0, `%s` is `batch`, a backslash turns all of it off, padding ends at 10.
 */
import type { Target } from "./server.ts";
import { textIn } from "./slurm-values.ts";

export type LogPath =
  /** `segments` of an absolute path; `*` in one stands for any characters. */
  | { readonly kind: "path"; readonly path: string; readonly isGlob: boolean }
  | { readonly kind: "unresolved"; readonly pattern: string; readonly why: string };

type Named = Pick<Target, "jobId" | "jobName" | "nodes" | "slurm" | "logPaths">;

export function logPathsOf(target: Named): readonly LogPath[] {
  const found =
    target.logPaths.length > 0 ? target.logPaths.map((p) => resolve(p, target, "author")) : standard(target);
  const seen = new Set<string>();
  return found.filter((p) => {
    const key = p.kind === "path" ? p.path : p.pattern;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function standard(target: Named): readonly LogPath[] {
  const { slurm } = target;
  const isTask = textIn(slurm, "arrayTaskId") !== undefined;
  const stdout = textIn(slurm, "stdout") ?? (isTask ? "slurm-%A_%a.out" : "slurm-%j.out");
  const stderr = textIn(slurm, "stderr") ?? stdout; // Unset: both go to one file.
  return [resolve(stdout, target, "slurm"), resolve(stderr, target, "slurm")];
}

/** @param by A `*` of the author is any text; in a name that Slurm made it is a star. */
function resolve(pattern: string, target: Named, by: "author" | "slurm"): LogPath {
  const workDir = textIn(target.slurm, "workDir");
  if (!pattern.startsWith("/") && workDir === undefined) {
    return { kind: "unresolved", pattern, why: `${pattern} is relative and the work directory is not known` };
  }
  const expanded = pattern.includes("\\") ? pattern.replaceAll("\\", "") : expand(pattern, target, by);
  if (typeof expanded !== "string") return { kind: "unresolved", pattern, why: expanded.why };
  const path = normalise(expanded.startsWith("/") ? expanded : `${workDir}/${expanded}`);
  return { kind: "path", path, isGlob: by === "author" && path.includes("*") };
}

function expand(pattern: string, target: Named, by: "author" | "slurm"): string | { readonly why: string } {
  const missing = new Set<string>();
  const text = pattern.replace(
    /%(?:%|(\d*)([AabJjNnstux]))/g,
    (all, width: string | undefined, field: string | undefined) => {
      if (field === undefined) return "%";
      // In the author's own files each task may have one: `%t` is any of them.
      if (by === "author" && (field === "t" || field === "n" || field === "N")) return "*";
      const value = fieldOf(field, target);
      if (value === undefined) missing.add(all);
      const isNumber = value !== undefined && /^\d+$/.test(value);
      return isNumber ? value.padStart(Math.min(Number(width ?? 0), 10), "0") : (value ?? "");
    },
  );
  return missing.size === 0 ? text : { why: `${pattern}: nothing is known for ${[...missing].join(", ")}` };
}

function fieldOf(field: string, { jobId, jobName, nodes, slurm }: Named): string | undefined {
  // Slurm's own number of an array task; `95_1` is its other name.
  const recordId = textIn(slurm, "recordId") ?? (/^\d+$/.test(jobId) ? jobId : undefined);
  switch (field) {
    case "j":
    case "J":
      return recordId;
    case "A":
      return textIn(slurm, "arrayJobId") ?? recordId;
    case "a":
      return textIn(slurm, "arrayTaskId") ?? "4294967294"; // What Slurm writes for "none".
    case "b":
      return String(Number(textIn(slurm, "arrayTaskId") ?? "4294967294") % 10);
    case "N":
      return nodes[0]?.split(".", 1)[0];
    case "n":
    case "t":
      return "0";
    case "s":
      return "batch";
    case "u":
      return textIn(slurm, "user");
    default:
      return jobName === "" ? undefined : jobName;
  }
}

function normalise(path: string): string {
  return `/${path
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/")}`;
}

/**
 * The files that match an absolute path with stars.
 *
 * @param names What is in a folder; undefined for none.
 * @param max   No more than so many, the first by name.
 */
export function filesMatching(
  path: string,
  names: (folder: string) => readonly string[] | undefined,
  max: number,
): readonly string[] {
  const parts = path.slice(1).split("/");
  let folders: readonly string[] = [""];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const next: string[] = [];
    for (const folder of folders) {
      if (!part.includes("*")) next.push(`${folder}/${part}`);
      else {
        const wanted = new RegExp(`^${part.split("*").map(escape).join(".*")}$`, "s");
        const there = (names(folder === "" ? "/" : folder) ?? []).filter((name) => wanted.test(name)).toSorted();
        next.push(...there.map((name) => `${folder}/${name}`));
      }
    }
    folders = next.slice(0, isLast ? max : max * 16);
  }
  return folders;
}

const escape = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
