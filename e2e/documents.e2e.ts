/**
 * Goal    what the documents tell job authors and operators to type, beside the walk, works as it is written.
 * Method  the blocks that name this file, in the documents' order, by a shell on a real Slurm with a Reprise that observes. The scripts that
 *         are submitted, the folders and the addresses are the test's; what follows is looked at in Slurm and in the story.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startReprise } from "@reprise/cli/demo/start-reprise.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { startPostgres } from "@reprise/tools/postgres.ts";
import { blocksFor, root, type Shown } from "./documents/blocks-for.ts";
import { missingIn, type Said, type } from "./documents/shell.ts";
import { optIn, startWorld, type World } from "./world/world.ts";

const blocks = blocksFor(import.meta.url);
/** The one block that begins like this. */
function blockOf(start: string): Shown {
  const [found, ...others] = blocks.filter(({ text }) => text.startsWith(start));
  if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} blocks begin with ${start}`);
  left.delete(found);
  return found;
}
const left = new Set(blocks);

let world: World;
let bin: string;
beforeAll(async () => {
  world = await startWorld({ flags: ["--partitions", "gpu"] }); // All jobs in them are reported, those without a comment too.
  bin = join(world.lab.dir, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "reprise"), `#!/bin/sh\nexec ${process.execPath} ${root}apps/cli/src/main.ts "$@"\n`);
  chmodSync(join(bin, "reprise"), 0o755);
  for (const name of ["train.sh", "evaluate.sh"])
    writeFileSync(join(world.lab.sharedDir, name), "#!/bin/sh\necho step 1 loss 2.0\nexec sleep 600\n");
});
afterAll(async () => await world?.stop());

async function typed(text: string, more: Readonly<Record<string, string>> = {}): Promise<Said> {
  const { http, internalHttp, tokenFile } = world.reprise().ready;
  const outer = environment();
  const own = { PATH: `${bin}:${outer["PATH"] ?? ""}`, REPRISE_DATA: world.dataDir, REPRISE_TOKEN_FILE: tokenFile };
  const urls = { REPRISE_URL: http, REPRISE_INTERNAL_URL: internalHttp };
  const env = { ...outer, ...world.lab.env, ...own, ...urls, ...more };
  const said = await type(`set -e\n${text}`, { cwd: world.lab.sharedDir, env });
  expect(said.code, `${text}\n${said.words}`).toBe(0);
  return said;
}

const because = async (jobId: string) => (await world.attempt(jobId, 0))?.decision?.because;

test("a comment that cannot be read is told as the document shows it", { timeout: 120_000 }, async () => {
  const first = await world.submit("exec sleep 600", { comment: optIn() });
  const second = await world.submit("exec sleep 600", {
    comment: `{"recovery": {"auto_resume_mode": "requeue","max_requeue_times": 5,}}`,
  });
  expect([first, second]).toEqual(["1", "2"]);
  await world.until(
    "both are known",
    async () => (await world.jobs("1")).length + (await world.jobs("2")).length === 2,
  );
  const [{ command, says } = { command: "", says: [] }] = typedIn(blockOf("$ reprise jobs show 2"));
  const { words } = await typed(command);
  const told = words.replace(/\s+/g, " ");
  expect(told).toContain(says.join(" ").replace(/\s+/g, " ").trim());
});

test("a chain of singletons is one that runs and others that wait, held", { timeout: 120_000 }, async () => {
  const { words } = await typed(blockOf("c='").text);
  const ids = [...words.matchAll(/Submitted batch job (\d+)/g)].map(([, id = ""]) => id);
  expect(ids).toHaveLength(3);
  const jobs = await Promise.all(ids.map(async (id) => await world.slurm(id)));
  expect(jobs.map((job) => job?.held)).toEqual([false, true, true]);
  await world.until("all are covered", async () =>
    (await Promise.all(ids.map(async (id) => (await world.explain(id))?.attempts?.[0]?.covered))).every(
      (covered) => covered === true,
    ),
  );
});

test("a job with gates waits for its parent", { timeout: 120_000 }, async () => {
  const { words } = await typed(blockOf("train=").text);
  const [, id = ""] = /Submitted batch job (\d+)/.exec(words) ?? [];
  await world.until("its gate is asked", async () => /^dag-(?!refused)/.test((await because(id)) ?? ""), 60_000);
  expect(await because(id)).toBe("dag-waiting");
  expect(await world.slurm(id)).toMatchObject({ held: true });
});

test("tokens are made, listed and revoked as it is shown", { timeout: 120_000 }, async () => {
  let id = "";
  for (const { command, says } of typedIn(blockOf("$ reprise token create"))) {
    const { words } = await typed(command.replace(/(?<=revoke )\w+/, id));
    id ||= /Token (\w+) for/.exec(words)?.[1] ?? "";
    expect(missingIn(words, says.map(anyTokens)), words).toEqual([]);
  }
});
/** Its ID, times and ages are of their day. */
const anyTokens = (line: string) => line.replace(/\b[0-9a-f]{12}\b|\d+-\d+-\d+[ T][\d:]+Z?|\b\d+ s\b|(?<=AGE) +/g, "…");

test("which node to drain is told", { timeout: 60_000 }, async () => {
  for (const { command } of typedIn(blockOf("$ reprise nodes"))) await typed(command);
});

test("a backup is saved and restored, with the server stopped", { timeout: 180_000 }, async () => {
  const [save, bring] = typedIn(blockOf("reprise backup /backups/reprise-1")).map(({ command }) =>
    command.replace("/backups", world.lab.dir),
  );
  await world.reprise().stop();
  await typed(save ?? "");
  const { words } = await typed(bring ?? "", { REPRISE_DATA: join(world.lab.dir, "restored") });
  expect(words).toMatch(/^Restored from/m);
});

test("what the embedded database knew is known in PostgreSQL", { timeout: 240_000 }, async () => {
  const database = await startPostgres();
  onTestFinished(async () => await database.stop());
  const [save, bring, up = ""] = typedIn(blockOf("reprise backup /backups/before")).map(({ command }) =>
    command
      .replace("/backups", world.lab.dir)
      .replace("postgres://reprise@db/reprise", database.url)
      .replace("/var/lib/reprise", world.dataDir),
  );
  for (const command of [save, bring]) await typed(command ?? "");
  const [, url = "", flags = ""] = /^DATABASE_URL=(\S+) reprise up (.*?) *#/.exec(up) ?? [];
  expect(url).toBe(database.url);
  expect(flags).toBe(`--data ${world.dataDir}`);
  const logFile = join(world.lab.dir, "moved.log");
  const env = { ...environment(), ...world.lab.env, DATABASE_URL: url };
  const moved = await startReprise({ dataDir: world.dataDir, env, flags: [], logFile });
  onTestFinished(async () => await moved.stop());
  const { words } = await typed("reprise jobs show 1", { REPRISE_URL: moved.ready.http });
  expect(words).toMatch(/^ *recovery +covered/m);
});

test("no block that names this file is left", () => {
  expect([...left].map(({ path, line }) => `${path}:${line}`)).toEqual([]);
});
