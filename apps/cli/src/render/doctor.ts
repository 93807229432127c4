/** doctor: one check a line, and below it what to do. Pure. */
import type { Check } from "../doctor/check.ts";
import { paintState } from "./paint.ts";
import { printable, wrap } from "./printable.ts";
import type { View } from "./view.ts";

const indent = 26;

export function renderDoctor(checks: readonly Check[], view: View): string {
  const width = Math.max(20, view.width - indent);
  const lines = checks.flatMap(({ name, verdict, says, todo }) => {
    const head = `${paintState(view.paint, verdict)}${" ".repeat(6 - verdict.length)}${name.padEnd(20)}`;
    const told = wrap(printable(says), width);
    const advised = todo === undefined ? [] : wrap(`→ ${printable(todo)}`, width).map((line) => view.paint.faint(line));
    return [...told, ...advised].map((line, i) => (i === 0 ? head : " ".repeat(indent)) + line);
  });
  const count = (verdict: Check["verdict"]) => checks.filter((check) => check.verdict === verdict).length;
  return `${lines.join("\n")}\n\n${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} failed\n`;
}
