/**
 * Goal    the table in docs/audit-events.md is the catalogue, word for word.
 */
import { readFileSync } from "node:fs";
import { catalogue } from "@reprise/core/audit/catalogue.ts";
import { expect, test } from "vitest";

const code = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(", ");

function rows(): string[] {
  return Object.entries(catalogue).map(
    ([type, { producers, level, when, payload }]) =>
      `| \`${type}\` | ${code(producers)} | ${level} | ${when} | ${code(payload)} |`,
  );
}

test("docs/audit-events.md lists every event of the catalogue, and no other; a difference shows the table as it should be", () => {
  const text = readFileSync(new URL("../../../../../docs/audit-events.md", import.meta.url), "utf8");
  expect(text.split("\n").filter((line) => line.startsWith("| `"))).toEqual(rows());
});
