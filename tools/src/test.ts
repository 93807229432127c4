/**
 * test: `make test`. Everything there is to pass, on a machine that has only Node: `node tools/src/test.ts [step …] [--keep-going]`.
 *
 * Takes   the steps to run, of `checks docs unit browser postgres e2e`; none means all, in this order.
 * Gives   a summary; its last line is `N passed, N failed, N skipped` over all runners. Exit code 1 when one failed.
 * Keeps   all failures are seen: no step stops another, but the end-to-end tests do not follow a failure (unless --keep-going).
 *         What the machine cannot give is skipped with its reason; with CI=true it is a failure.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runChecks } from "./run/checks.ts";
import { root, runCommand, type Command } from "./run/command.ts";
import { chromium, hasEmbeddedPostgres, postgres, promtool, provide, slurm } from "./run/needs.ts";
import { notRun, outcomeOfCheck, outcomeOfVitest, summary, type Outcome } from "./run/outcome.ts";

const minutes = 60_000;
const isCi = process.env["CI"] === "true";
const reports = mkdtempSync(join(tmpdir(), "reprise-test-"));
process.on("exit", () => rmSync(reports, { recursive: true, force: true }));

type Step = (before: readonly Outcome[]) => Promise<readonly Outcome[]>;

const steps: Readonly<Record<string, Step>> = {
  checks: runChecks,
  docs: async () => [await siteOfDocuments()],
  unit: async () => {
    const missing = await provide(promtool); // Without it the one test of the alerts is skipped; CI needs it before.
    if (missing !== undefined) console.log(missing);
    return [await vitest("unit", [], 15 * minutes)];
  },
  browser: async () => {
    const missing = await provide(chromium);
    if (missing !== undefined) return [notRun("browser", await countOf("browser"), missing, isCi)];
    return [await vitest("browser", [], 10 * minutes)];
  },
  postgres: async () => {
    const missing = await provide(postgres);
    if (missing === undefined || hasEmbeddedPostgres())
      return [await vitest("postgres", ["node", "tools/src/postgres.ts", "run", "--"], 15 * minutes)];
    return [notRun("postgres", await countOf("postgres"), missing, isCi)];
  },
  e2e: async (before) => {
    if (before.some((o) => o.failed > 0) && !options.values["keep-going"])
      return [notRun("e2e", await countOf("e2e"), "not run after a failure; run it with: make e2e", false)];
    const missing = await provide(slurm);
    if (missing !== undefined) return [notRun("e2e", await countOf("e2e"), missing, isCi)];
    return [await vitest("e2e", [], 90 * minutes)];
  },
};

const options = parseArgs({ allowPositionals: true, options: { "keep-going": { type: "boolean", default: false } } });
const unknown = options.positionals.filter((name) => !Object.hasOwn(steps, name));
if (unknown.length > 0) {
  console.error(`test: no step ${unknown.join(", ")}; expected any of ${Object.keys(steps).join(" ")}`);
  process.exit(2);
}

const outcomes: Outcome[] = [];
for (const [name, step] of Object.entries(steps)) {
  if (options.positionals.length > 0 && !options.positionals.includes(name)) continue;
  console.log(`\n══ ${name}`);
  outcomes.push(...(await step(outcomes)));
}
console.log(`\n${summary(outcomes)}`);
if (outcomes.some((o) => o.failed > 0)) process.exitCode = 1;

/** Built, with every link and anchor in it. */
async function siteOfDocuments(): Promise<Outcome> {
  const ended = await runCommand({ run: ["node", "tools/src/site/site.ts"], limitMs: 3 * minutes, output: "kept" });
  if (ended.code !== 0) console.log(ended.output);
  return outcomeOfCheck("docs", ended);
}

/** Runs one project of vitest.config.ts, under another program when `under` says so. */
async function vitest(project: string, under: readonly string[], limitMs: number): Promise<Outcome> {
  const report = join(reports, `${project}.json`);
  const reporter = project === "e2e" ? "verbose" : "default";
  const command = [
    ...under,
    "vitest",
    "run",
    "--project",
    project,
    `--reporter=${reporter}`,
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const ended = await runCommand({ run: command as unknown as Command["run"], limitMs, output: "shown" });
  if (ended.output !== "") console.log(ended.output);
  return outcomeOfVitest(project, readIfThere(report), ended);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").replaceAll(root, "");
  } catch {
    return undefined;
  }
}

/** How many tests a project has, without running them; 1 when that cannot be told. */
async function countOf(project: string): Promise<number> {
  const listed = await runCommand({
    run: ["vitest", "list", "--project", project, "--json"],
    limitMs: 2 * minutes,
    output: "kept",
  });
  try {
    return (JSON.parse(listed.output) as unknown[]).length;
  } catch {
    return 1;
  }
}
