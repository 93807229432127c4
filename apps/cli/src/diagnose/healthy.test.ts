/**
 * Goal    nothing is found wrong in a healthy log, at any moment of it, and its steps are recognised.
 * Method  what real programs printed (testdata/healthy/real of the watcher), logs in the form of public reports, and made-up ones, each
 *         judged as of many moments while it grows.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Case, type CaseAttempt, parseCase } from "@reprise/watcher/cases/case-file.ts";
import { createMatcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import { judge } from "./judge.ts";
import { judgementOf } from "./judgement.ts";

const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../../../signatures", import.meta.url))]));
const folder = fileURLToPath(new URL("../../../watcher/src/testdata/healthy", import.meta.url));
const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.(?:log|yaml)$/.test(name));
/** Says who printed it; not of the log. */
const header = /^#: printed by .*\n/;
const momentsMax = 24;

/** What was really printed came within milliseconds, the lines of a traceback among it. */
const lineSeconds = (name: string) => (name.startsWith("real/") ? 1 : 5);

function read(name: string): Case {
  const text = readFileSync(join(folder, name), "utf8");
  if (name.endsWith(".yaml")) return parseCase(text, name);
  const log = text
    .replace(header, "")
    .split(/[\r\n]+/)
    .filter((line) => line !== "")
    .map((line, n) => ({ second: n * lineSeconds(name), text: line }));
  const attempt: CaseAttempt = { log, nodeLog: [], lookAt: log.length * lineSeconds(name) };
  return { id: name, nodes: ["node-a", "node-b"], gpusPerNode: 8, policy: {}, attempts: [attempt] };
}

/** The same case, looked at earlier. */
function until(c: Case, second: number): Case {
  const { log, nodeLog } = c.attempts[0]!;
  return { ...c, attempts: [{ log: log.filter((line) => line.second <= second), nodeLog, lookAt: second }] };
}

/** Ends of pauses are what a detector falls for; the rest is spread evenly. */
function moments({ log, lookAt }: CaseAttempt): readonly number[] {
  const pauses = log.flatMap((line, n) =>
    (log[n + 1]?.second ?? lookAt) - line.second > 60 ? [log[n + 1]!.second - 1] : [],
  );
  const even = Array.from({ length: momentsMax }, (_, n) => Math.ceil((lookAt * (n + 1)) / momentsMax));
  return [...pauses, ...even];
}

test("there are thirty healthy logs or more; half of them real programs printed, and each of these says which", () => {
  const real = names.filter((name) => name.startsWith("real/"));
  expect(names.length).toBeGreaterThanOrEqual(30);
  expect(real.length).toBeGreaterThanOrEqual(names.length / 2);
  for (const name of real) expect(readFileSync(join(folder, name), "utf8")).toMatch(header);
});

describe.each(names)("%s", (name) => {
  const c = read(name);

  test("is healthy at every moment", () => {
    const wrong = moments(c.attempts[0]!)
      .map((second) => ({ second, ...judgementOf(name, judge(until(c, second), matcher).decision) }))
      .filter(({ kind }) => kind !== "none");
    expect(wrong).toEqual([]);
  });

  test("has steps that grow", () => {
    const { progress } = judge(c, matcher);
    expect(progress.lastStep).toBeGreaterThan(progress.firstStep ?? Number.POSITIVE_INFINITY);
  });

  test("explains nothing when the job then fails for no reason that it tells", () => {
    const attempt = c.attempts[0]!;
    const end = { at: attempt.lookAt, state: "FAILED" as const, exitCode: 1, signal: 0 };
    const { decision, signals } = judge({ ...c, attempts: [{ ...attempt, end }] }, matcher);
    const hasFinished = signals.some(({ kind }) => kind === "finished");
    expect(decision.because).toBe(hasFinished ? "teardown" : "unexplained");
  });
});
