/**
 * Goal    each demo that the README shows ends as it says when it is typed: `make demo`, with every fault.
 * Method  the README's own commands, two at a time, each with a temporary folder of its own, on the real Slurm.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "@reprise/runtime/environment.ts";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { expect, onTestFinished, test } from "vitest";
import { blocksFor, root } from "./blocks-for.ts";
import { type } from "./shell.ts";

const commands = blocksFor(import.meta.url).flatMap((block) => typedIn(block).map(({ command }) => command));
const pairs = commands.flatMap((_, i) => (i % 2 === 0 ? [commands.slice(i, i + 2)] : []));

test.each(pairs)("%s, %s", { timeout: 240_000 }, async (...pair) => {
  await Promise.all(pair.map(endsAsItSays));
});

async function endsAsItSays(command: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "rd-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { ...environment(), TMPDIR: home };
  const keyboard = command.includes("--open") ? { enterAt: /Enter ends it/ } : {};
  const { code, words } = await type(command, { cwd: root, env, ...keyboard });
  expect(code, words).toBe(0);
  expect(words).toMatch(
    command.includes("--fault slow") ? /^Told, and left alone: job 1/m : /^Recovered: job 1|"recovered":true/m,
  );
  expect(readdirSync(home).filter((name) => name.startsWith("rl-"))).toEqual([]);
}
