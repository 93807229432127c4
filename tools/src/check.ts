/** check: `make check`. All checks of run/checks.ts, then one line each. Exit code 1 when one failed. */
import { runChecks } from "./run/checks.ts";
import { summary } from "./run/outcome.ts";

const outcomes = await runChecks();
console.log(summary(outcomes));
if (outcomes.some((o) => o.failed > 0)) process.exitCode = 1;
