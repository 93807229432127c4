/**
 * Goal    what the documents tell somebody to `make`, beside tests and demos, works as it is written.
 * Method  the blocks that name this file, in the documents' order, by a shell in the repository. Only how many worlds of which size, how many
 *         minutes and which planted bug are the test's.
 */
import { environment } from "@reprise/runtime/environment.ts";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { expect, test } from "vitest";
import { blocksFor, root } from "./blocks-for.ts";
import { type } from "./shell.ts";

const few = (command: string) =>
  command
    .replace(/SEEDS=\d+/, "SEEDS=2")
    .replace(/MINUTES=\d+/, "MINUTES=0.02")
    .replace(/^make sim-teeth\b/, "make sim-teeth TOOTH=fail-open-never");

test.each(blocksFor(import.meta.url).flatMap((block) => typedIn(block).map(({ command }) => ({ ...block, command }))))(
  "$path: $command",
  { timeout: 120_000 },
  async ({ command }) => {
    const { code, words } = await type(few(command), { cwd: root, env: { ...environment(), SIZE: "small" } });
    expect(code, words).toBe(0);
  },
);
