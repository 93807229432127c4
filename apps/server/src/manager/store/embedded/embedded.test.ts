/**
 * Goal    the store keeps its contract on the embedded database too, and answers as the body in memory does.
 * Method  the contract over one PGlite in its worker, whose tables are emptied before each test.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, PostgresDialect, sql } from "kysely";
import { afterAll, beforeAll } from "vitest";
import { stillLife } from "../testing/life.ts";
import { createLocalChanges } from "../postgres/changes.ts";
import { createStore } from "../postgres/create-store.ts";
import { migrate } from "../postgres/migrate.ts";
import type { Db, Tables } from "../postgres/schema.ts";
import { sameAnswers } from "../contract/same-answers.contract.ts";
import { storeContract } from "../store.contract.ts";
import { openEmbeddedPool, type EmbeddedPool } from "./open-embedded.ts";

const folder = mkdtempSync(join(tmpdir(), "reprise-store-"));
let pool: EmbeddedPool;
let db: Db;

/** Making it takes seconds: the tests take turns on one database, each beginning with empty tables. */
beforeAll(async () => {
  pool = await openEmbeddedPool(folder, stillLife());
  db = new Kysely<Tables>({ dialect: new PostgresDialect(pool) });
  await migrate(db);
}, 60_000);

afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open() {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() and tablename not like 'kysely%'`.execute(
    db,
  );
  await sql.raw(rows.map(({ name }) => `delete from ${name};`).join("\n")).execute(db);
  const store = createStore(db, createLocalChanges());
  return { store, replica: store };
}

storeContract("the embedded database", open);

sameAnswers(async () => (await open()).store);
