/**
 * Goal    an embedded database can be moved into a PostgreSQL. A dump of a PostgreSQL, made while servers run, brings them back to that moment; a restore under a running server, or over
 *         something without being told to, is refused.
 * Method  a database of its own on the test's PostgreSQL, and the real `pg_dump` and `pg_restore`, where the machine has them.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { backUp, restore } from "../backup/back-up.ts";
import type { Store } from "../../store.ts";
import { openEmbedded } from "../embedded/open-embedded.ts";
import { noon, stillLife } from "../testing/life.ts";
import { decided, report, restart, s } from "../testing/world.ts";
import { openPostgres } from "./open-postgres.ts";

const serverUrl = process.env["REPRISE_TEST_DATABASE_URL"];

let databases = 0;

function hasTools(): boolean {
  try {
    return execFileSync("pg_dump", ["--version"], { encoding: "utf8" }) !== "";
  } catch {
    return false;
  }
}

async function freshDatabase(): Promise<string> {
  const name = `backup_${process.pid}_${++databases}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name}`);
  onTestFinished(async () => {
    await client.query(`drop database ${name} with (force)`);
    await client.end();
  });
  const url = new URL(serverUrl ?? "");
  url.pathname = name;
  return url.href;
}

test.skipIf(serverUrl === undefined)(
  "what an embedded database had goes on in a PostgreSQL, with every number behind those that were given",
  { timeout: 150_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "reprise-grown-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "saved");
    const small = await openEmbedded(join(folder, "small"), stillLife());
    const job = await small.upsertJob(report("1", 0, { jobName: 'a "name", (of) 1 \\ and a \ttab' }), noon);
    await decided(small, job, restart());
    const none = { producer: "site", type: "site.event", level: "info", payload: null, producedAtUs: noon } as const;
    await small.recordAuditEvents([none]);
    const told = await tellingOf(small, job.heimdallJobId);
    await small.close();
    await backUp({ dataDir: join(folder, "small") }, file);

    const config = { databaseUrl: await freshDatabase(), dataDir: folder };
    expect(await restore(config, file, false)).toBeUndefined();
    const large = await openPostgres(config.databaseUrl, stillLife());
    onTestFinished(() => large.close());
    expect(await tellingOf(large, job.heimdallJobId)).toEqual(told);
    await large.upsertJob(report("2"), noon + s);
    await large.recordAuditEvents([none]);
    expect((await large.listJobs({}, { offset: 1, limit: 9 })).rows.map(({ jobId }) => jobId)).toEqual(["2"]);
    const { rows } = await large.listAuditEvents({}, { order: "asc", limit: 100 });
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    await expect(restore(config, file, false), "while it runs").rejects.toThrow("connections of a Reprise server");
  },
);

/** All that can be asked about one attempt, and every event. */
async function tellingOf(store: Store, heimdallJobId: string) {
  return {
    story: await store.story("default", "1"),
    attempt: await store.getJobByUuid(heimdallJobId),
    advice: await store.getAdvice(heimdallJobId),
    sequences: [...(await store.sequencesOf([heimdallJobId]))],
    events: (await store.listAuditEvents({}, { order: "asc", limit: 100 })).rows,
    workflows: await store.listWorkflows({ offset: 0, limit: 9 }),
  };
}

test.skipIf(serverUrl === undefined || !hasTools())(
  "a PostgreSQL comes back as it was when it was dumped, and goes on",
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "reprise-dump-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "dump");
    const config = { databaseUrl: await freshDatabase(), dataDir: folder };
    const open = () => openPostgres(config.databaseUrl, stillLife());

    const first = await open();
    const job = await first.upsertJob(report("1"), noon);
    await decided(first, job, restart());
    await backUp(config, file);
    await first.upsertJob(report("2"), noon + s);
    await expect(restore(config, file, true), "while it runs").rejects.toThrow("connections of a Reprise server");
    await first.close();

    await expect(restore(config, file, false)).rejects.toThrow("the schema public is not empty");
    expect(await restore(config, file, true)).toBe("the schema public_before_restore");
    const second = await open();
    onTestFinished(() => second.close());
    expect(await second.getAdvice(job.heimdallJobId)).toMatchObject({ generation: 1, because: "hardware-node" });
    await second.upsertJob(report("3"), noon + 2 * s);
    expect((await second.listJobs({}, { offset: 0, limit: 9 })).rows.map(({ jobId }) => jobId)).toEqual(["1", "3"]);
  },
);
