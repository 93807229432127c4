/**
 * postgres-backup: the schema of a PostgreSQL by its own `pg_dump` and `pg_restore`.
 *
 * Takes   the programs of the server's version or a later one, in the PATH.
 * Keeps   a dump is one snapshot: servers go on meanwhile. A restore that fails leaves an empty schema beside the one set aside.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { Refusal } from "@reprise/core/refusal.ts";
import { applicationName } from "../postgres/open-postgres.ts";
import type { BackupBody } from "./back-up.ts";
import { runTool } from "./run-tool.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

export const postgres = "a PostgreSQL";

export function postgresBackup(databaseUrl: string): BackupBody {
  const env = variablesOf(databaseUrl);
  return {
    kind: postgres,
    async save(file) {
      const schema = await asking(databaseUrl, schemaOf);
      await runTool("pg_dump", ["--format=custom", "--no-owner", `--schema="${schema}"`, `--file=${file}`], env);
    },
    async migrationsIn(file) {
      const text = await runTool("pg_restore", ["--data-only", "--table=kysely_migration", "--file=-", file]);
      const rows = /^COPY .*\n([\s\S]*?)^\\\.$/m.exec(text)?.[1] ?? "";
      if (rows === "")
        throw new Refusal("precondition", `${file}: is a dump of something else: it has no migrations of ours`);
      return rows
        .trim()
        .split("\n")
        .map((row) => row.split("\t", 1)[0] ?? "");
    },
    async load(file, force) {
      const schema = await asking(databaseUrl, schemaOf);
      const list = await runTool("pg_restore", ["--list", file]);
      refuseOtherSchema(file, list, schema);
      // The schema itself is ours to make: `public` is there in every database.
      const wanted = list.split("\n").filter((line) => !/^\d+; \d+ \d+ (?:SCHEMA|COMMENT - SCHEMA) /.test(line));
      const flags = ["--no-owner", "--exit-on-error", "--single-transaction", `--dbname=${env["PGDATABASE"]}`];
      return await inTemporaryFolder("reprise-restore-", async (folder) => {
        const listFile = join(folder, "list");
        writeFileSync(listFile, wanted.join("\n"));
        return await intoEmptySchema(databaseUrl, force, async () => {
          await runTool("pg_restore", [...flags, `--use-list=${listFile}`, file], env);
        });
      });
    },
  };
}

/** @returns Where what was there before is now. */
export async function intoEmptySchema(
  databaseUrl: string,
  force: boolean,
  fill: (client: pg.Client, schema: string) => Promise<void>,
): Promise<string | undefined> {
  return await asking(databaseUrl, async (client) => {
    const schema = await schemaOf(client);
    await refuseRunning(client);
    const aside = await setAside(client, schema, force);
    await fill(client, schema);
    return aside;
  });
}

async function asking<T>(databaseUrl: string, ask: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "reprise-backup" });
  try {
    await client.connect();
  } catch (error) {
    throw new Refusal("precondition", `databaseUrl: ${(error as Error).message}`);
  }
  try {
    return await ask(client);
  } finally {
    await client.end();
  }
}

async function schemaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string | null }>("select current_schema() as name");
  return rows[0]?.name ?? "public";
}

function refuseOtherSchema(file: string, list: string, schema: string): void {
  const from = / TABLE (\S+) kysely_migration /.exec(list)?.[1];
  if (from === schema) return;
  throw new Refusal("precondition", `${file}: is a backup of the schema ${from}; the database URL names ${schema}`);
}

async function refuseRunning(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ n: number }>(
    "select count(*)::integer as n from pg_stat_activity where datname = current_database() and application_name = $1",
    [applicationName],
  );
  const n = rows[0]?.n ?? 0;
  if (n > 0)
    throw new Refusal(
      "precondition",
      `the database is in use: ${n} connections of a Reprise server; stop all servers first`,
    );
}

/** Leaves an empty schema behind. */
async function setAside(client: pg.Client, schema: string, force: boolean): Promise<string | undefined> {
  const { rows } = await client.query("select from pg_class where relnamespace = to_regnamespace($1)", [`"${schema}"`]);
  if (rows.length === 0) return undefined;
  const aside = `${schema}_before_restore`;
  if (!force) {
    throw new Refusal("precondition", `the schema ${schema} is not empty; --force sets it aside as ${aside}`);
  }
  const { rows: known } = await client.query("select from pg_namespace where nspname = $1", [aside]);
  if (known.length > 0) throw new Refusal("precondition", `the schema ${aside} is there already; drop it first`);
  await client.query(`begin; alter schema "${schema}" rename to "${aside}"; create schema "${schema}"; commit`);
  return `the schema ${aside}`;
}

/** libpq's own names: a password in an argument would be seen by everybody on the machine. */
function variablesOf(databaseUrl: string): Readonly<Record<string, string>> {
  const url = new URL(databaseUrl);
  const given = {
    PGHOST: decodeURIComponent(url.searchParams.get("host") ?? url.hostname),
    PGPORT: url.port,
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    PGSSLMODE: url.searchParams.get("sslmode") ?? "",
    PGSSLROOTCERT: url.searchParams.get("sslrootcert") ?? "",
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}
