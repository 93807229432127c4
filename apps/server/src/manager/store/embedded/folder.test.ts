/**
 * Goal    the five things that PGlite lacks as shipped are there: fsync with its proof, a thread of its own, maintenance, a lock on the
 *         folder, and one session in turns; and what was acknowledged survives every kill -9.
 * Method  real folders, real child processes that are killed, and the database's own statistics.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { noon, stillLife } from "../testing/life.ts";
import { report } from "../testing/world.ts";
import { createMaintenance } from "./maintenance.ts";
import { openEmbedded, openEmbeddedPool, type EmbeddedPool } from "./open-embedded.ts";
import { openLite } from "./open-lite.ts";

const folder = mkdtempSync(join(tmpdir(), "reprise-folder-"));
let opened: EmbeddedPool;

/** Made once: it takes seconds. What a killed start would leave lies in its way. */
beforeAll(async () => {
  mkdirSync(join(folder, "pg.new"));
  writeFileSync(join(folder, "pg.new", "PG_VERSION"), "half written");
  opened = await openEmbeddedPool(folder, stillLife());
}, 60_000);

afterAll(async () => {
  await opened.close();
  rmSync(folder, { recursive: true, force: true });
});

async function query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const session = await opened.pool.connect();
  try {
    return (await session.query<Row>(sql, parameters)).rows;
  } finally {
    session.release();
  }
}

test("a commit reaches the disk, and the folder is closed to everybody else", () => {
  expect(opened.fsyncsProven).toBeGreaterThan(0);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(readdirSync(folder)).not.toContain("pg.new");
});

test("a database whose commits cause no fsync is not started", async () => {
  const own = mkdtempSync(join(tmpdir(), "reprise-nosync-"));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  await expect(openLite(own, { fsync: "off" })).rejects.toThrow(`data folder ${own}: a commit caused no fsync`);
}, 60_000);

test("an SQL error keeps its code and constraint, and the session works on", async () => {
  await query("create table if not exists kept (id integer constraint kept_id primary key)");
  await query("insert into kept values ($1)", [1]);
  await expect(query("insert into kept values ($1)", [1])).rejects.toMatchObject({
    code: "23505",
    constraint: "kept_id",
  });
  expect(await query("select id, 9007199254740991::bigint as big from kept")).toEqual([
    { id: 1, big: Number.MAX_SAFE_INTEGER },
  ]);
});

test("the main thread goes on while the database thinks", async () => {
  let turns = 0;
  let isThinking = true;
  const thought = query("select count(*) from generate_series(1, 2000000)").then(() => (isThinking = false));
  while (isThinking) {
    await new Promise((resolve) => setImmediate(resolve));
    turns++;
  }
  await thought;
  expect(turns).toBeGreaterThan(100);
});

test("who has the session has it for himself, and the others follow in turn", async () => {
  const order: string[] = [];
  const first = await opened.pool.connect();
  const others = ["second", "third"].map(async (name) => {
    const session = await opened.pool.connect();
    order.push(name);
    session.release();
  });
  await first.query("begin", []);
  order.push("first");
  await first.query("rollback", []);
  first.release();
  await Promise.all(others);
  expect(order).toEqual(["first", "second", "third"]);
});

test("tables that changed much are vacuumed, and the log is checkpointed in time", async () => {
  await query("create table if not exists busy (id integer)");
  await query("insert into busy select generate_series(1, 3000)");
  let now = noon;
  const changed = {
    rows: new Map([
      ["busy", 3000],
      ["kept", 1],
    ]),
  };
  const maintenance = createMaintenance(opened.pool, changed, { ...stillLife().clock, now: () => now });
  const checkpoint = async () =>
    (await query<{ at: string }>("select redo_lsn::text as at from pg_control_checkpoint()"))[0]?.at;
  const before = await checkpoint();
  await maintenance.look();
  const vacuums = await query("select relname, vacuum_count from pg_stat_user_tables where vacuum_count > 0");
  expect(vacuums).toEqual([{ relname: "busy", vacuum_count: 1 }]);
  expect([...changed.rows.keys()]).toEqual(["kept"]);
  expect(await checkpoint()).toBe(before);
  now += 60_000;
  await maintenance.look();
  expect(await checkpoint()).not.toBe(before);
});

test("a second store on the folder is refused, in this process and in another, and has changed nothing", async () => {
  const before = listing(folder);
  const words = `dataDir ${folder}: another Reprise process is using it; stop that one, or give another folder`;
  await expect(openEmbedded(folder, stillLife())).rejects.toMatchObject({ code: "precondition", message: words });
  const child = program(
    `await openEmbedded(${JSON.stringify(folder)}, stillLife()).catch((error) => console.log(JSON.stringify(error.message)))`,
  );
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  expect(JSON.parse(line)).toBe(words);
  await once(child, "exit");
  expect(listing(folder)).toEqual(before);
}, 30_000);

test("a folder that cannot be made is named", async () => {
  writeFileSync(join(folder, "a-file"), "");
  const within = join(folder, "a-file", "data");
  await expect(openEmbedded(within, stillLife())).rejects.toMatchObject({
    code: "precondition",
    message: expect.stringContaining(within) as string,
  });
});

test("nothing that was acknowledged is lost, however often the process is killed", async () => {
  const own = mkdtempSync(join(tmpdir(), "reprise-kill-"));
  onTestFinished(() => rmSync(own, { recursive: true, force: true }));
  await (await openEmbedded(own, stillLife())).close();
  const acknowledged: string[] = [];
  for (const [run, acksBeforeKill] of [0, 1, 3, 10, 40].entries()) {
    const child = program(`
      console.log("opening");
      const store = await openEmbedded(${JSON.stringify(own)}, stillLife());
      for (let i = 0; ; i++) {
        const job = { ...${JSON.stringify(report("1"))}, jobId: ${run} + "." + i };
        await store.upsertJob(job, noon);
        console.log(job.jobId);
      }`);
    let acks = -1; // "opening" is none.
    const lines = createInterface(child.stdout);
    lines.on("line", (line) => {
      if (acks++ >= 0) acknowledged.push(line);
      if (acks >= acksBeforeKill) child.kill("SIGKILL");
    });
    await Promise.all([once(child, "exit"), once(lines, "close")]);
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(54);
  const store = await openEmbedded(own, stillLife());
  onTestFinished(() => store.close());
  const found = new Set<string>();
  for (let hasMore = true; hasMore; ) {
    const page = await store.listJobs({}, { offset: found.size, limit: 250 });
    for (const { jobId } of page.rows) found.add(jobId);
    hasMore = page.hasMore;
  }
  expect(acknowledged.filter((jobId) => !found.has(jobId))).toEqual([]);
}, 90_000);

/** A process of its own that uses the store as the server does. */
function program(body: string) {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const imports = `import { openEmbedded } from ${url("./open-embedded.ts")}; import { noon, stillLife } from ${url("../testing/life.ts")};`;
  const place = mkdtempSync(join(tmpdir(), "reprise-program-"));
  writeFileSync(join(place, "program.mjs"), imports + body);
  const child = spawn(process.execPath, [join(place, "program.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(place, { recursive: true });
  });
  return child;
}

function listing(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((name) => `${name} ${statSync(name).size} ${statSync(name).mtimeMs}`)
    .sort();
}
