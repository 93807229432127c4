/**
 * Goal    each alert fires in its fault and in no healthy day, is made of metrics that some part really tells, and has a page that names
 *         commands that there are.
 * Method  Debian's promtool on the rules and their series; the names in the sources that make metrics; the command line's own help.
 */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { parse } from "yaml";

vi.setConfig({ testTimeout: 60_000 }); // Processes take their time on a busy machine.

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const rules = join(root, "packaging/prometheus/reprise-alerts.yaml");
const series = join(root, "packaging/prometheus/reprise-alerts.test.yaml");
const runbooks = join(root, "docs/runbooks");
const promtool = "/usr/bin/promtool";

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}
const { groups } = parse(readFileSync(rules, "utf8")) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap((group) => group.rules);

test.skipIf(!existsSync(promtool))("each alert fires in its fault, and none on a healthy day", async () => {
  await run(promtool, ["check", "rules", rules]);
  await run(promtool, ["test", "rules", series]);
  const { tests } = parse(readFileSync(series, "utf8")) as { tests: { name: string }[] };
  expect(tests.map(({ name }) => name).sort()).toEqual(["a healthy day", ...alerts.map(({ alert }) => alert)].sort());
});

const sources = [
  "packages/runtime/src/metrics.ts",
  "apps/server/src/main.ts",
  "apps/server/src/manager/audit/audit-metrics.ts",
  "apps/server/src/manager/record-metrics.ts",
  "apps/server/src/manager/trace/start-traces.ts",
  "apps/server/src/gateway/call-metrics.ts",
  "apps/sac/src/sac-metrics.ts",
  "apps/sac/src/slurm-metrics.ts",
  "apps/watcher/src/watcher-metrics.ts",
].map((path) => readFileSync(join(root, path), "utf8"));
const isTold = (metric: string) =>
  [metric, metric.replace(/_(?:bucket|count|sum)$/, "")].some((name) =>
    sources.some((source) => source.includes(`"${name}"`)),
  );

test("alerts and the operators' page name only metrics that a part tells", () => {
  const inRules = alerts.flatMap(({ expr }) => expr.match(/\breprise_\w+/g) ?? []);
  const page =
    readFileSync(join(root, "docs/monitoring.md"), "utf8").split("\n## Metrics\n")[1]?.split("\n## ")[0] ?? "";
  const inTable = page
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)/g)].map(([, name]) => `reprise_${name}`));
  expect(inTable.length).toBeGreaterThan(30);
  expect([...inRules, ...inTable].filter((name) => !isTold(name))).toEqual([]);
});

test("each alert has its runbook, which shows what it is made of; there is no other", () => {
  expect(readdirSync(runbooks).sort()).toEqual(alerts.map(({ alert }) => `${alert}.md`).sort());
  for (const { alert, expr, annotations } of alerts) {
    expect(annotations.runbook).toBe(`docs/runbooks/${alert}.md`);
    expect(readFileSync(join(root, annotations.runbook), "utf8")).toContain(`\n${expr}\n`);
  }
});

test("each command of a runbook is one of the command line's, with its options", async () => {
  const text = readdirSync(runbooks)
    .map((name) => readFileSync(join(runbooks, name), "utf8"))
    .join("\n");
  const commands = [...text.matchAll(/`reprise ([a-z]+)([^`]*)`/g)].map(
    ([, name = "", rest = ""]) => [name, rest] as const,
  );
  expect(commands.length).toBeGreaterThan(5);
  const helps = new Map<string, string>();
  for (const name of new Set(commands.map(([name]) => name))) {
    const { stdout } = await run(process.execPath, [join(root, "apps/cli/src/main.ts"), name, "--help"]);
    expect(stdout).toContain(`Usage: reprise ${name} `); // Of a command that is not known it is the help of all.
    helps.set(name, stdout);
  }
  for (const [name, rest] of commands)
    for (const option of rest.match(/--[a-z-]+/g) ?? []) expect(helps.get(name), `reprise ${name}`).toContain(option);
});
