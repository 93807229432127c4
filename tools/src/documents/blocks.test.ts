import { expect, test } from "vitest";
import { blocksOf, typedIn } from "./blocks.ts";

test("a block says its language, who runs it, or why nobody does", () => {
  const text = [
    "```bash run=e2e/a.e2e.ts",
    "reprise jobs",
    "```",
    "",
    '  ```bash not-run="no such host"',
    "ls",
    "  ```",
  ];
  expect(blocksOf(text.join("\n"))).toEqual([
    { line: 1, language: "bash", text: "reprise jobs", isCommands: true, runBy: "e2e/a.e2e.ts" },
    { line: 5, language: "bash", text: "ls", isCommands: true, notRunBecause: "no such host" },
  ]);
});

test("one command a line; quotes and backslashes carry on; remarks are none", () => {
  const text = '# first\nreprise jobs  # it\'s all\n\ncurl -d \'{"a":\n  1}\' "$U" \\\n  -s\nreprise mode';
  expect(typedIn({ language: "bash", text }).map(({ command }) => command)).toEqual([
    "reprise jobs  # it's all",
    'curl -d \'{"a":\n  1}\' "$U" \\\n  -s',
    "reprise mode",
  ]);
});

test("after a prompt stands the command, and below it what it says", () => {
  expect(typedIn({ language: "console", text: "$ reprise nodes\nNODE  DO\n$ reprise go" })).toEqual([
    { command: "reprise nodes", says: ["NODE  DO"] },
    { command: "reprise go", says: [] },
  ]);
});
