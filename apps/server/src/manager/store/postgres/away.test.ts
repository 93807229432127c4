/**
 * Goal    a PostgreSQL that ends our connections is a matter of trying again, never the end of the server.
 * Method  all connections of a store are ended while calls are on the way.
 */
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { noon, stillLife } from "../testing/life.ts";
import { report } from "../testing/world.ts";
import { openPostgres } from "./open-postgres.ts";

const databaseUrl = process.env["REPRISE_TEST_DATABASE_URL"];

test.skipIf(databaseUrl === undefined)(
  "ended connections are `unavailable`, and the next call has a new one",
  async () => {
    const name = `away_${process.pid}`;
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`create database ${name}`);
    const url = new URL(databaseUrl ?? "");
    url.pathname = name;
    const quiet = { ...stillLife(), log: { debug() {}, info() {}, warn() {}, error() {} } };
    const store = await openPostgres(url.href, quiet);
    onTestFinished(async () => {
      await store.close();
      await client.query(`drop database ${name} with (force)`);
      await client.end();
    });
    for (let round = 0; round < 5; round++) {
      const change = { gpuCountPerNode: round };
      const calls = Array.from({ length: 12 }, (_, i) => store.upsertJob(report(`${i}`, 0, change), noon));
      const settled = Promise.allSettled(calls);
      await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
      for (const call of await settled) {
        if (call.status === "rejected") expect(call.reason).toMatchObject({ name: "Refusal", code: "unavailable" });
      }
    }
    await expect
      .poll(() => store.upsertJob(report("after"), noon).catch(() => undefined))
      .toMatchObject({ jobId: "after" });
  },
);
