import { expect, test } from "vitest";
import { treeOf } from "../testing/tree-of.ts";
import { commands } from "./commands.ts";
import { readSource } from "./source.ts";

const files = {
  "e2e/a.e2e.ts": "for (const block of blocksFor(import.meta.url)) run(block);",
  "e2e/b.e2e.ts": "test();",
};
const judge = (text: string, path = "docs/a.md") =>
  commands(readSource(path, text), treeOf({ ...files, [path]: text })).map(({ line, what }) => `${line} ${what}`);
const fenced = (info: string, text = "reprise jobs") => `# A\n\n\`\`\`${info}\n${text}\n\`\`\`\n`;

test.each([
  ["run by a test that takes its blocks", fenced("bash run=e2e/a.e2e.ts")],
  ["not run, with a reason", fenced('bash not-run="there is no systemd here"')],
  ["no commands", fenced("json", "{}")],
  ["what a program says", fenced("", "ok    Slurm controller    cluster gpu")],
])("%s is no finding", (_, text) => {
  expect(judge(text)).toEqual([]);
});

test.each([
  ["nobody", fenced("bash"), "3 commands that nobody runs"],
  ["nobody, and it has no language", fenced("", "$ reprise jobs\nJOB"), "3 commands that nobody runs"],
  ["nobody, in a list of commands", fenced("", "make demo     shows it"), "3 commands that nobody runs"],
  ["a test that is not there", fenced("bash run=e2e/c.e2e.ts"), "3 `e2e/c.e2e.ts` does not exist"],
  ["a test that does not take it", fenced("bash run=e2e/b.e2e.ts"), "3 `e2e/b.e2e.ts` does not take it"],
  ["nobody, for no reason", fenced('bash not-run="no"'), "3 is not run, and says not why"],
  ["a misspelt word", fenced("bash ran=e2e/a.e2e.ts"), "3 `ran=e2e/a.e2e.ts` is not understood"],
])("commands that are run by %s are a finding", (_, text, finding) => {
  expect(judge(text)).toEqual([finding]);
});

test("a decision record tells of its day", () => {
  expect(judge(fenced("bash"), "docs/decisions/0001-a.md")).toEqual([]);
});
