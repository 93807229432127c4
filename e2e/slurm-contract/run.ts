/**
 * run: `make slurm-contract`: every story of the contract, on the simulated and on the real Slurm, with how many passed on each.
 *
 * Gives   the exemptions with their reasons, then `simulated: N passed` and `real: N passed`; exit code 1 when one failed or none was told.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exemptions, rows } from "@reprise/sac/slurm/contract/rows.ts";
import { runCommand } from "@reprise/tools/run/command.ts";
import { outcomeOfVitest, type Outcome } from "@reprise/tools/run/outcome.ts";

const limitMs = 15 * 60_000;
const reports = mkdtempSync(join(tmpdir(), "slurm-contract-"));

async function told(name: string, project: string, file: string): Promise<Outcome> {
  const report = join(reports, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const env = { REPRISE_SLURM_CONTRACT: "all" };
  const ended = await runCommand({
    run: ["vitest", "run", "--project", project, ...reporters, file],
    env,
    limitMs,
    output: "shown",
  });
  return outcomeOfVitest(name, readIfThere(report), ended);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

const outcomes = [
  await told("simulated", "unit", "sim/src/slurm/sim-slurm.test.ts"),
  await told("real", "e2e", "e2e/slurm-contract/real.test.ts"),
];
rmSync(reports, { recursive: true });
console.log("\nnot told, with the reason:");
for (const [row, because] of Object.entries(exemptions))
  console.log(`  ${row}: ${rows[row as keyof typeof rows]}\n    ${because}`);
for (const { name, passed, failed, skipped, failures } of outcomes) {
  const more = [failed > 0 ? `, ${failed} failed` : "", skipped > 0 ? `, ${skipped} skipped` : ""].join("");
  console.log(`${name}: ${passed} passed${more}`);
  for (const failure of failures) console.log(`  ${failure}`);
}
if (outcomes.some(({ passed, failed }) => failed > 0 || passed === 0)) process.exitCode = 1;
