/**
 * Goal    the files are the ones that Slurm writes.
 * Method  one table; the target of each row differs from a plain job in what the row names.
 */
import { describe, expect, test } from "vitest";
import { filesMatching, logPathsOf } from "./log-paths.ts";

const plain = {
  jobId: "128",
  jobName: "train",
  nodes: ["n1.cluster", "n2"],
  logPaths: [] as string[],
  slurm: { workDir: "/home/ada/run", user: "ada" },
};
const task = { ...plain, jobId: "95_3", slurm: { ...plain.slurm, arrayJobId: "95", arrayTaskId: "3", recordId: "98" } };
const out = (stdout: string, stderr?: string) => ({
  ...plain,
  slurm: { ...plain.slurm, stdout, ...(stderr === undefined ? {} : { stderr }) },
});

const shown = (target: typeof plain) =>
  logPathsOf(target).map((p) => (p.kind === "path" ? `${p.path}${p.isGlob ? " (glob)" : ""}` : `? ${p.why}`));

// biome-ignore format: a table is read by its columns
const rows: [why: string, target: typeof plain, paths: string[]][] = [
  ["Slurm's default",                   plain,                                    ["/home/ada/run/slurm-128.out"]],
  ["Slurm's default of an array task",  task,                                     ["/home/ada/run/slurm-95_3.out"]],
  ["the job's ID",                      out("/logs/%j.out"),                      ["/logs/128.out"]],
  ["the record of an array task",       { ...task, slurm: { ...task.slurm, stdout: "/logs/%A-%a-%j.out" } as never }, ["/logs/95-3-98.out"]],
  ["a task whose record is not known",  { ...task, slurm: { workDir: "/w", user: "ada", arrayTaskId: "3", stdout: "/logs/%j.out" } as never },
    ["? /logs/%j.out: nothing is known for %j"]],
  ["zero padding",                      out("/logs/%5j-%2t.out"),                 ["/logs/00128-00.out"]],
  ["padding ends at ten",               out("/logs/%99j.out"),                    ["/logs/0000000128.out"]],
  ["no padding of words",               out("/logs/%5u-%3x.out"),                 ["/logs/ada-train.out"]],
  ["the step of a batch script",        out("/logs/%J-%s.out"),                   ["/logs/128-batch.out"]],
  ["a plain job as an array",           out("/logs/%A_%a_%b.out"),                ["/logs/128_4294967294_4.out"]],
  ["the first node's short name",       out("/logs/%N-%n.out"),                   ["/logs/n1-0.out"]],
  ["a percent sign",                    out("/logs/%%j.out"),                     ["/logs/%j.out"]],
  ["an unknown letter stays",           out("/logs/%q.out"),                      ["/logs/%q.out"]],
  ["a backslash turns it off",          out("/logs/\\%j.out"),                    ["/logs/%j.out"]],
  ["relative to the work directory",    out("logs/./a.out"),                      ["/home/ada/run/logs/a.out"]],
  ["stderr of its own",                 out("/l/%j.out", "/l/%j.err"),            ["/l/128.out", "/l/128.err"]],
  ["stderr unset is stdout",            out("/l/%j.out", ""),                     ["/l/128.out"]],
  ["a star in Slurm's name is a star",  out("/l/*.out"),                          ["/l/*.out"]],
  ["the author's own files",            { ...plain, logPaths: ["logs/%x-%j.log", "/w/rank_*.txt"] },
    ["/home/ada/run/logs/train-128.log", "/w/rank_*.txt (glob)"]],
  ["the author's file of each task",    { ...plain, logPaths: ["/w/%j-%t-%N.log"] }, ["/w/128-*-*.log (glob)"]],
  ["no work directory",                 { ...plain, slurm: { user: "ada" } as never }, ["? slurm-%j.out is relative and the work directory is not known"]],
];

describe("the log of", () => {
  test.each(rows)("%s", (_why, target, paths) => expect(shown(target)).toEqual(paths));
});

describe("a pattern with stars", () => {
  const folders: Record<string, string[]> = {
    "/w": ["b", "a", "other"],
    "/w/a": ["rank_1.txt", "rank_0.txt", "x.txt"],
    "/w/b": ["rank_9.txt"],
  };
  const match = (path: string, max = 10) => filesMatching(path, (folder) => folders[folder], max);

  test("is what the folders hold, by name", () => {
    expect(match("/w/*/rank_*.txt")).toEqual(["/w/a/rank_0.txt", "/w/a/rank_1.txt", "/w/b/rank_9.txt"]);
  });
  test("never gives more than so many", () => expect(match("/w/*/rank_*.txt", 2)).toHaveLength(2));
  test("of a folder that is not there is nothing", () => expect(match("/no/*.txt")).toEqual([]));
});
