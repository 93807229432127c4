/**
 * Goal    what docs/notifications.md tells a receiver is so: its example has the fields that are sent, and its check takes what we sign.
 * Method  the blocks of the document itself; its JavaScript is run.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jsonBody, signatureOf } from "./message.ts";

const guide = readFileSync(new URL("../../../../../docs/notifications.md", import.meta.url), "utf8");
const block = (language: string) => new RegExp(`\n\`\`\`${language}\n([^]*?)\n\`\`\``).exec(guide)?.[1] ?? "";

/** By the program in the guide, as a receiver would run it. */
function areOurs(calls: readonly (readonly [header: string, body: string, key: string])[]): unknown {
  const said = `console.log(JSON.stringify(${JSON.stringify(calls)}.map((call) => isOurs(...call))));`;
  return JSON.parse(
    execFileSync(process.execPath, ["--input-type=module"], { input: `${block("js")}\n${said}`, encoding: "utf8" }),
  );
}

test("the check in the guide takes our signature, and neither another body, key or time", () => {
  const now = Date.now();
  const header = signatureOf("{}", "key", now);
  const calls = [
    [header, "{}", "key"],
    [header, "{ }", "key"],
    [header, "{}", "other"],
    ["", "{}", "key"],
    [signatureOf("{}", "key", now - 400_000), "{}", "key"],
  ] as const;
  expect(areOurs(calls)).toEqual([true, false, false, false, false]);
});

test("the example of the guide has the fields that are sent, in their order", () => {
  const example = JSON.parse(block("json")) as { sentAt: string; notices: Record<string, unknown>[] };
  const [{ id, at, ...rest } = {}] = example.notices;
  const notice = { key: String(id), at: Date.parse(String(at)), ...rest } as Parameters<typeof jsonBody>[0][number];
  expect(jsonBody([notice], Date.parse(example.sentAt))).toBe(JSON.stringify(example));
});
