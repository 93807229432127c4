import { expect, test } from "vitest";
import { apart, weightOf, wordsOf } from "./search.ts";

test("the first command of a block is a word of its own, and so is each word of a picture", () => {
  const html = '<span class="lang">bash</span><pre><code>sacctmgr</code></pre><text>SAC</text><text>Slurm</text>';
  expect(apart(html).replace(/<[^>]*>/g, "")).toBe(" sacctmgrSAC Slurm ");
});

test("a key is one word and its parts; a command with hyphens is its parts", () => {
  expect(wordsOf("`max_requeue_times`: kill-switch")).toEqual([
    "max_requeue_times",
    "max",
    "requeue",
    "times",
    "kill",
    "switch",
  ]);
});

test("a guide comes before a decision that says the same", () => {
  expect(weightOf("/docs/on-call.html#brakes")).toBeGreaterThan(weightOf("/docs/decisions/0004-x.html#answer"));
});
