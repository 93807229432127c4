/**
 * Goal    the store keeps its contract on a real PostgreSQL, with two replicas.
 * Method  the contract, with a schema of its own for each test, in the database that REPRISE_TEST_DATABASE_URL names:
 *         `node tools/src/postgres.ts run -- npx vitest run --project postgres`.
 */
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { sequenceIdOf } from "@reprise/core/sequence/sequence.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { noon, stillLife } from "../testing/life.ts";
import { storeContract } from "../store.contract.ts";
import { up as first } from "./migrations/0001-first.ts";
import { up as auditAndSequences } from "./migrations/0002-audit-and-sequences.ts";
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
  storeContract("the contract of the store", open, 10);

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

  test("Advice from before there were sequences has its sequence, since its first generation of that operation", async () => {
    const db = new Kysely<unknown>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: await freshSchema() }) }),
    });
    onTestFinished(() => db.destroy());
    await first(db);
    for (const [generation, desired] of [
      [1, "RESTARTED"],
      [2, "RESTARTED"],
      [3, "TERMINATED"],
    ] as const) {
      await sql`insert into advice (heimdall_job_id, generation, desired, exclusions, issues, because, sentence, start_delay_ms,
        charged, root_key, recorded_at, expires_at)
        values ('u', ${generation}, ${desired}, '[]', '[]', 'b', 's', 0, true, 'r', ${noon + generation}, 0)`.execute(
        db,
      );
    }
    await auditAndSequences(db);
    const { rows } = await sql`
      select sequence_id as id, operation, started_at::text as at from recovery_sequence order by started_at`.execute(
      db,
    );
    expect(rows).toEqual([
      { id: sequenceIdOf("u", "RESTART"), operation: "RESTART", at: `${noon + 1}` },
      { id: sequenceIdOf("u", "TERMINATE"), operation: "TERMINATE", at: `${noon + 3}` },
    ]);
  });

  test("a server that cannot be reached is named without its password", async () => {
    const opened = openPostgres("postgres://ada:secret@127.0.0.1:1/db", stillLife());
    await expect(opened).rejects.toMatchObject({ code: "precondition" });
    await expect(opened).rejects.toThrow(/^databaseUrl postgres:\/\/127\.0\.0\.1:1\/db: (?!.*secret)/);
  });
});
