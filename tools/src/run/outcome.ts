/**
 * outcome: how one step of a test run ended, and how all of them read.
 *
 * Takes   the JSON report of vitest; or the exit code of a check, which counts as one test.
 * Keeps   what cannot be read has failed: a run that died without a report, or that failed without a failed test, is a failure.
 * Pure    total.
 */

export interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly ms: number;
  /** One line each: what failed. */
  readonly failures: readonly string[];
  /** One line each: what was skipped, and why. */
  readonly skips: readonly string[];
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly fullName: string;
      readonly status: string;
    }[];
  }[];
}

/** @param report The text of vitest's JSON report; undefined when it wrote none. */
export function outcomeOfVitest(
  name: string,
  report: string | undefined,
  ended: { readonly code: number; readonly ms: number },
): Outcome {
  const read = report === undefined ? undefined : parse(report);
  if (read === undefined)
    return {
      ...nothing(name, ended.ms),
      failed: 1,
      failures: [`${name}: ended with code ${ended.code} and no report`],
    };
  const tests = read.testResults.flatMap((file) => file.assertionResults);
  const failed = read.testResults.flatMap((file) =>
    file.assertionResults.filter((t) => t.status === "failed").map((t) => `${file.name} › ${t.fullName}`),
  );
  const broken = read.testResults.filter(
    (f) => f.status === "failed" && !f.assertionResults.some((t) => t.status === "failed"),
  );
  const failures = [...failed, ...broken.map((f) => `${f.name}: ${firstLine(f.message)}`)];
  if (ended.code !== 0 && failures.length === 0)
    failures.push(`${name}: ended with code ${ended.code} although no test failed`);
  const skipped = tests.filter((t) => t.status !== "passed" && t.status !== "failed");
  return {
    name,
    passed: tests.filter((t) => t.status === "passed").length,
    failed: failures.length,
    skipped: skipped.length,
    ms: ended.ms,
    failures,
    skips: grouped(skipped.map((t) => t.ancestorTitles[0] ?? t.fullName)),
  };
}

export const outcomeOfCheck = (
  name: string,
  { code, output, ms }: { code: number; output: string; ms: number },
): Outcome =>
  code === 0
    ? { ...nothing(name, ms), passed: 1 }
    : { ...nothing(name, ms), failed: 1, failures: [`${name}: ${firstLine(output)}`] };

/** `count` tests were not run, because. `isFailure`: they should have been. */
export const notRun = (name: string, count: number, because: string, isFailure: boolean): Outcome =>
  isFailure
    ? { ...nothing(name, 0), failed: 1, skipped: count, failures: [`${name}: ${because}`] }
    : { ...nothing(name, 0), skipped: count, skips: [`${because} (${count})`] };

/** The last line of `make test`. Other programs read it. */
export function totalLine(outcomes: readonly Outcome[]): string {
  const sum = (key: "passed" | "failed" | "skipped") => outcomes.reduce((total, o) => total + o[key], 0);
  return `${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`;
}

export function summary(outcomes: readonly Outcome[]): string {
  const width = Math.max(...outcomes.map((o) => o.name.length));
  const rows = outcomes.map(
    (o) =>
      `  ${o.failed > 0 ? "✗" : "✓"} ${o.name.padEnd(width)} ${(o.ms / 1000).toFixed(1).padStart(7)} s  ${totalLine([o])}`,
  );
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
  const skips = outcomes.flatMap((o) => o.skips.map((line) => `${o.name}: ${line}`));
  return [
    ...rows,
    ...list("Skipped:", skips),
    ...list(
      "Failed:",
      outcomes.flatMap((o) => o.failures),
    ),
    "",
    totalLine(outcomes),
  ].join("\n");
}

const nothing = (name: string, ms: number): Outcome => ({
  name,
  passed: 0,
  failed: 0,
  skipped: 0,
  ms,
  failures: [],
  skips: [],
});

function parse(report: string): Report | undefined {
  try {
    const read = JSON.parse(report) as Partial<Report> | null;
    return Array.isArray(read?.testResults) ? (read as Report) : undefined;
  } catch {
    return undefined;
  }
}

const firstLine = (text: string) => text.trim().split("\n", 1)[0] ?? "";

const grouped = (names: readonly string[]) =>
  [...new Set(names)].map((name) => `${name} (${names.filter((other) => other === name).length})`);
