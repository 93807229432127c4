/**
 * open-postgres: the store on a PostgreSQL server, 15 or later. Any number of replicas may open the same one.
 *
 * Fails   `precondition` when it cannot be reached or is too old; the message names the host and never the password.
 */
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Life } from "@reprise/runtime/life.ts";
import type { Store } from "../../store.ts";
import { sendingAhead } from "./ahead.ts";
import { refusingAway } from "./away.ts";
import { createStore } from "./create-store.ts";
import { migrate } from "./migrate.ts";
import { createNotifiedChanges } from "./notify.ts";
import { preparingHot } from "./prepared.ts";
import { numericTypes } from "./numeric-types.ts";
import type { Db, Tables } from "./schema.ts";

/** By this a restore knows that a server runs. */
export const applicationName = "reprise";
const connectionsMax = 10;
const connectTimeoutMs = 10_000;
const versionMin = 150_000;

export async function openPostgres(databaseUrl: string, life: Life): Promise<Store> {
  const connection = {
    connectionString: databaseUrl,
    types: numericTypes,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
  };
  const pool = preparingHot(new pg.Pool({ ...connection, max: connectionsMax, pipeline: true }));
  // Also of one that somebody has, but asks nothing at the moment: it would end the process.
  pool.on("connect", (client) => client.on("error", (error) => life.log.warn({ error }, "a connection broke")));
  pool.on("error", () => undefined); // The same error, of an idle one.
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: sendingAhead(refusingAway(pool, life.log)) }) });
  try {
    await requireVersion(db, databaseUrl);
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return createStore(db, createNotifiedChanges(connection, life));
}

async function requireVersion(db: Db, databaseUrl: string): Promise<void> {
  const version = await sql<{ number: number }>`select current_setting('server_version_num')::integer as number`
    .execute(db)
    .catch((error: unknown) => {
      throw new Refusal("precondition", `databaseUrl ${withoutSecrets(databaseUrl)}: ${(error as Error).message}`);
    });
  const number = version.rows[0]?.number ?? 0;
  if (number >= versionMin) return;
  throw new Refusal(
    "precondition",
    `databaseUrl ${withoutSecrets(databaseUrl)}: server version ${number}; expected 15 or later`,
  );
}

function withoutSecrets(databaseUrl: string): string {
  if (!URL.canParse(databaseUrl)) return "(not a URL)";
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `postgres://${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}
