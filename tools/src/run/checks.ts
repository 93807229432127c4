/**
 * checks: all that is checked without running the product. Each counts as one test.
 *
 * Bound   two at a time; together well under 15 s on two cores.
 */
import { runCommand, type Command } from "./command.ts";
import { outcomeOfCheck, type Outcome } from "./outcome.ts";

export const checks: readonly { readonly name: string; readonly run: Command["run"] }[] = [
  { name: "types", run: ["tsc", "-p", "tsconfig.json"] },
  { name: "types of the page", run: ["tsc", "-p", "apps/dashboard/tsconfig.json"] },
  { name: "lint", run: ["oxlint", "--deny-warnings", "--quiet"] },
  { name: "tidy", run: ["node", "tools/src/tidy.ts"] },
  { name: "unused", run: ["knip", "--no-progress", "--no-config-hints"] },
  { name: "format", run: ["biome", "format", "--max-diagnostics=20", "."] },
  { name: "container", run: ["dockerfile-utils", "lint", "packaging/Containerfile"] },
  { name: "protocol", run: ["npm", "run", "--silent", "-w", "@reprise/protocol", "check-generated"] },
  { name: "contract", run: ["npm", "run", "--silent", "-w", "@reprise/protocol", "check-contract"] },
];

/** Runs all, however many fail, and shows what a failed one wrote. */
export async function runChecks(): Promise<readonly Outcome[]> {
  const waiting = [...checks];
  const outcomes: Outcome[] = [];
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const ended = await runCommand({ run: check.run, limitMs: 120_000, output: "kept" });
      if (ended.code !== 0) console.log(`── ${check.name} (${check.run.join(" ")})\n${ended.output}\n`);
      outcomes.push(outcomeOfCheck(check.name, ended));
    }
  };
  await Promise.all([worker(), worker()]);
  return outcomes;
}
