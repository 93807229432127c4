/**
 * Goal    the store keeps its contract on a real PostgreSQL, with two replicas.
 * Method  the contract, with a schema of its own for each test, in the database that REPRISE_TEST_DATABASE_URL names:
 *         `node tools/src/postgres.ts run -- npx vitest run --project postgres`.
 */
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { noon, stillLife } from "../testing/life.ts";
import { converged, decided, failed, hour, none, report, restart, status } from "../testing/world.ts";
import { storeContract } from "../store.contract.ts";
import { openPostgres } from "./open-postgres.ts";

const databaseUrl = process.env["REPRISE_TEST_DATABASE_URL"];
let schemas = 0;

async function freshSchema(): Promise<string> {
  const schema = `t${process.pid}_${++schemas}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`create schema ${schema}`);
  onTestFinished(async () => {
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  });
  const url = new URL(databaseUrl ?? "");
  url.searchParams.set("options", `-c search_path=${schema}`);
  return url.href;
}

async function open() {
  const url = await freshSchema();
  const [store, replica] = await Promise.all([openPostgres(url, stillLife()), openPostgres(url, stillLife())]);
  onTestFinished(() => Promise.all([store.close(), replica.close()]).then(() => undefined));
  return { store, replica };
}

const skipped = databaseUrl === undefined ? " (skipped: REPRISE_TEST_DATABASE_URL is not set)" : "";

describe.skipIf(databaseUrl === undefined)(`PostgreSQL${skipped}`, () => {
  storeContract("the contract of the store", open);

  test("many replicas that start at once bring the schema up to date once", async () => {
    const url = await freshSchema();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgres(url, stillLife())));
    await Promise.all(stores.map((store) => store.close()));
  });

  test("history refuses to be changed, whoever tries", async () => {
    const url = await freshSchema();
    const store = await openPostgres(url, stillLife());
    onTestFinished(() => store.close());
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(
      "insert into audit (producer, type, level, payload, produced_at_us) values ('p', 't', 'info', '{}', 1)",
    );
    await expect(client.query("update audit set type = 'other'")).rejects.toThrow("its rows are never changed");
  });

  test("every change of a mind, and everything that Slurm took back, has its audit row", async () => {
    const url = await freshSchema();
    const store = await openPostgres(url, stillLife());
    onTestFinished(() => store.close());
    const job = await store.upsertJob(report("1", 0, { workflowId: "a" }), noon);
    await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    await decided(store, job, restart());
    await decided(store, job, none({ withdraw: true }));
    await store.observeStatus(job.heimdallJobId, status(2, converged), noon);
    await store.upsertJob(report("1", 0, failed), noon);
    await store.upsertJob(report("1"), noon);
    await store.upsertJob(report("1", 1), noon + hour);
    await store.upsertJob(report("1", 1, { submitAt: noon + 2 * hour }), noon + 2 * hour);
    await store.upsertJob(report("1", 0, { submitAt: noon + 9 * hour }), noon + 9 * hour);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query<{ what: string }>(
      "select attempt_index || ' ' || type as what from audit order by id",
    );
    expect(rows.map(({ what }) => what)).toEqual([
      "0 job.workflow-changed",
      "0 advice.recorded",
      "0 advice.withdrawn",
      "0 advice.observed",
      "0 job.rolled-back",
      "1 job.repeated",
      "0 job.new-incarnation",
    ]);
  });

  test("a server that cannot be reached is named without its password", async () => {
    const opened = openPostgres("postgres://ada:secret@127.0.0.1:1/db", stillLife());
    await expect(opened).rejects.toMatchObject({ code: "precondition" });
    await expect(opened).rejects.toThrow(/^databaseUrl postgres:\/\/127\.0\.0\.1:1\/db: (?!.*secret)/);
  });
});
