/**
 * Goal    the walk of docs/rollout.md, from observing to acting and back, is what an operator can type; so is the short one of README.md.
 * Method  the commands are read from the documents and run in their order, on a real Slurm, by a shell; only the folders, the host's ports and
 *         `reprise up`, which stays, are the test's. Each must end with 0, and what it says and does is looked at where it matters.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { environment } from "@reprise/runtime/environment.ts";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { blocksFor, root } from "./documents/blocks-for.ts";
import { eccLine, failsOnce, reason, startWorld, type World } from "./world/world.ts";

const program = fileURLToPath(import.meta.resolve("@reprise/cli/main.ts"));
const blocks = blocksFor(import.meta.url);
const commandsOf = (document: string) =>
  blocks.filter(({ path }) => path === document).flatMap((block) => typedIn(block).map(({ command }) => command));

let world: World;
let bin: string;
beforeAll(async () => {
  world = await startWorld({ lab: { partitions: [{ name: "gpu" }, { name: "long" }] }, flags: [] });
  bin = join(world.dataDir, "bin");
  mkdirSync(bin);
  mkdirSync(join(world.lab.sharedDir, "tmp"));
  writeFileSync(join(bin, "reprise"), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`);
  chmodSync(join(bin, "reprise"), 0o755);
});
afterAll(async () => await world?.stop());

/** 3 of `doctor`: it works, with losses that are named. */
const isGood = (line: string, code: number) => code === 0 || (code === 3 && line.includes("reprise doctor"));

/** What it said, on both. */
async function typed(line: string): Promise<string> {
  const { http, tokenFile } = world.reprise().ready;
  const { PATH = "", ...outer } = environment();
  const own = { PATH: `${bin}:${PATH}`, REPRISE_URL: http, REPRISE_TOKEN_FILE: tokenFile, REPRISE_DATA: world.dataDir };
  const child = spawn("sh", ["-c", line.replaceAll("/shared/tmp", join(world.lab.sharedDir, "tmp"))], {
    env: { ...outer, ...world.lab.env, ...own },
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (part: Buffer) => (said += part.toString()));
  const [code] = (await once(child, "close")) as [number];
  expect(isGood(line, code), `${line}\n${code}: ${said}`).toBe(true);
  return said;
}

/** `reprise up` with these flags, in the place of the one before. An order is taken once SAC has said what it may do. */
async function up(line: string): Promise<string> {
  await world.reprise().stop();
  await world.startReprise(/reprise up ([^#]*)/.exec(line)?.[1]?.trim().split(/\s+/).filter(Boolean) ?? []);
  const allowed = line.includes("--act") ? /^ *allowed +act/m : /^ *allowed +observe/m;
  await world.until("SAC to report", async () => allowed.test(await typed("reprise mode")), 60_000);
  return "";
}

/** What each said, by its verb. */
async function walk(document: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const said = new Map<string, string[]>();
  for (const line of commandsOf(document)) {
    if (line.startsWith("export ")) continue; // The test's own folder.
    const [, verb = ""] = line.split(" ");
    said.set(verb, [...(said.get(verb) ?? []), await (verb === "up" ? up(line) : typed(line))]);
    if (verb === "up" && line.includes("--act") && document === "docs/rollout.md")
      expect(await world.slurm("1"), "an order to observe holds after the start").toMatchObject({ restarts: 0 });
  }
  return said;
}

test("every command of the walk does what the document says", { timeout: 600_000 }, async () => {
  // So that there is a job 1 to explain, which recovery would have restarted.
  const first = await world.submit(`echo '${eccLine}' >&2; ${failsOnce()}`);
  expect(first).toBe("1");
  await world.until("observed Advice", async () => reason(await world.advice(first)) === "OBSERVE_MODE", 90_000);

  const said = await walk("docs/rollout.md");
  expect(said.get("advice")?.[0]).toContain("OBSERVE_MODE");
  expect(said.get("explain")?.[0]).toMatch(/observe\s+mode;\s+would\s+have\s+been\s+done/);
  const canaries = said.get("canary") ?? [];
  expect(canaries.map((words) => /^would /m.test(words))).toEqual([true, false, false]);
  expect(canaries.map((words) => /^ok .*restarted once/m.test(words))).toEqual([false, true, true]);
  expect(said.get("mode")?.at(-1)).toMatch(/^ *mode +observe$/m);
  // It was open, and SAC acts in its partition: as the document warns.
  await world.until("what was advised before to be carried out", async () => {
    const job = await world.slurm(first);
    return job?.state === "COMPLETED" && job.restarts === 1;
  });
});

test("so does every command of the README's", { timeout: 300_000 }, async () => {
  const said = await walk("README.md");
  expect(said.get("doctor")?.[0]).toMatch(/^ok +Slurm controller/m);
  expect(said.get("stop")?.[0]).toMatch(/stop/);
  expect(await typed("reprise mode")).toMatch(/^ *mode +observe$/m);
});
