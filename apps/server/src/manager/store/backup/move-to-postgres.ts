/**
 * move-to-postgres: everything that an embedded database has, row by row into an empty PostgreSQL: for a site that has grown.
 *
 * Takes   a folder with a copy of the embedded database, and a connection whose schema is empty.
 * Writes  the rows in one transaction; the copy is brought up to date first. Both then have the same tables, columns and sequences.
 * Fails   whole: the schema is empty again.
 * Bound   `rowsPerStatement` at a time are in memory.
 */
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import pg from "pg";
import { sendingAhead } from "../postgres/ahead.ts";
import { createSingleClientPool, type QueryClient } from "../embedded/query-client.ts";
import { openWorkerClient } from "../embedded/worker-client.ts";
import { migrate } from "../postgres/migrate.ts";
import type { Tables } from "../postgres/schema.ts";

const rowsPerStatement = 500;

export async function moveToPostgres(folder: string, databaseUrl: string, target: pg.Client, schema: string) {
  const source = await openWorkerClient(folder);
  try {
    await bringUpToDate(sendingAhead(createSingleClientPool(source)));
    await makeSchema(databaseUrl);
    await target.query("begin");
    for (const table of await tablesOf(source)) await copyRows(source, target, table);
    await copySequences(source, target);
    await target.query("commit");
  } catch (error) {
    await target.query("rollback");
    await target.query(`drop schema "${schema}" cascade; create schema "${schema}"`);
    throw error;
  } finally {
    await source.end();
  }
}

async function makeSchema(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  pool.on("error", () => undefined); // Of a connection that nobody asks anything; without a listener it would end the process.
  try {
    await bringUpToDate(pool);
  } finally {
    await pool.end();
  }
}

const bringUpToDate = (pool: PostgresPool) => migrate(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }));

/** All of ours; who refers to another one comes behind it. */
async function tablesOf(source: QueryClient): Promise<string[]> {
  const all = await namesOf(source, "select tablename as name from pg_tables where schemaname = current_schema()");
  const { rows } = await source.query(
    `select a.relname as name, b.relname as refers from pg_constraint
      join pg_class a on a.oid = conrelid join pg_class b on b.oid = confrelid
      where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`,
    [],
  );
  const references = rows as { name: string; refers: string }[];
  let left = all.filter((name) => !name.startsWith("kysely_"));
  const sorted: string[] = [];
  while (left.length > 0) {
    const free = left.filter((name) => !references.some((one) => one.name === name && left.includes(one.refers)));
    if (free.length === 0) throw new Error(`the tables ${left.join(", ")} refer to one another in a circle`);
    sorted.push(...free);
    left = left.filter((name) => !free.includes(name));
  }
  return sorted;
}

async function namesOf(source: QueryClient, query: string): Promise<string[]> {
  const { rows } = await source.query(query, []);
  return (rows as { name: string }[]).map(({ name }) => name);
}

/** As PostgreSQL writes a row as text, and reads it: every value as it is, whatever its type. */
async function copyRows(source: QueryClient, target: pg.Client, table: string): Promise<void> {
  const name = pg.escapeIdentifier(table);
  await source.query("begin", []);
  await source.query(`declare copied no scroll cursor for select t::text as name from ${name} t`, []);
  for (;;) {
    const rows = await namesOf(source, `fetch ${rowsPerStatement} from copied`);
    if (rows.length === 0) break;
    await target.query(`insert into ${name} overriding system value select r.* from unnest($1::${name}[]) r`, [rows]);
  }
  await source.query("commit", []);
}

/** What is numbered goes on behind what is there. */
async function copySequences(source: QueryClient, target: pg.Client): Promise<void> {
  const { rows } = await source.query(
    `select sequencename as name, last_value as at from pg_sequences where schemaname = current_schema() and last_value is not null`,
    [],
  );
  for (const { name, at } of rows as { name: string; at: number }[]) {
    await target.query("select setval(quote_ident($1)::regclass, $2)", [name, at]);
  }
}
