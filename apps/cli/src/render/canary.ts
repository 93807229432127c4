/** canary: what a canary has proven: one step a line, with the seconds since its job was submitted; below it what to do. Pure. */
import type { CanaryEnd } from "../canary/run-canary.ts";
import type { CanaryStep } from "../canary/step.ts";
import type { Paint } from "./paint.ts";
import { printable, wrap } from "./printable.ts";
import type { View } from "./view.ts";

const nameWidth = 22;
const indent = 10 + 10 + nameWidth;

/** One step that is judged; `waits` is told by nobody. */
export function renderCanaryStep({ verdict, name, seconds, says, todo }: CanaryStep, view: View): string {
  const { paint } = view;
  const time = seconds === undefined ? "" : `${seconds.toFixed(1)} s`;
  const head = `${paintVerdict(paint, verdict)}${" ".repeat(10 - verdict.length)}${time.padStart(8)}  ${name.padEnd(nameWidth)}`;
  const width = Math.max(20, view.width - indent);
  const told = wrap(printable(says === "" ? "not reached" : says), width);
  const advised = todo === undefined ? [] : wrap(`→ ${printable(todo)}`, width).map((line) => paint.faint(line));
  return `${[...told, ...advised].map((line, i) => (i === 0 ? head : " ".repeat(indent)) + line).join("\n")}\n`;
}

function paintVerdict(paint: Paint, verdict: CanaryStep["verdict"]): string {
  if (verdict === "ok") return paint.good(verdict);
  return verdict === "fail" ? paint.bad(verdict) : paint.busy(verdict);
}

/** The last line. @param steps All that were judged, of recovery and of fail-open. */
export function renderCanaryEnd(end: CanaryEnd, steps: readonly CanaryStep[], { paint }: View): string {
  const unproven = steps.filter(({ verdict }) => verdict === "unproven").map(({ name }) => name);
  const rest = unproven.length === 0 ? "" : ` Not proven: ${unproven.join(", ")}.`;
  const failed = steps.find(({ verdict }) => verdict === "fail");
  if (failed !== undefined)
    return `\n${paint.bad(`Failed at "${failed.name}".`)}${rest} What job ${end.jobId} printed: ${end.output}\n`;
  const words =
    end.outcome === "observed"
      ? `Passed as far as observe mode goes: job ${end.jobId} would have been restarted, and nothing was done.`
      : `Passed: job ${end.jobId} failed, was brought back once, and completed.`;
  return `\n${paint.good(words)}${rest}\n`;
}
