/**
 * migrate: brings the schema of a database to what this program needs. Several replicas may start at once: they wait for each other.
 *
 * Fails   whole: a migration that fails leaves the schema as it was. A database that a newer program has changed is refused.
 */
import { sql } from "kysely";
import { Migrator } from "kysely/migration";
import { up as first } from "./migrations/0001-first.ts";
import type { Db } from "./schema.ts";

const migrations = { "0001-first": { up: first } };

export async function migrate(db: Db): Promise<void> {
  // Named, since the Migrator would otherwise find its table in any schema of the database and take it for ours.
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(db);
  const schema = rows[0]?.name ?? "public";
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableSchema: schema,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw new Error(`the database schema "${schema}" could not be brought up to date`, { cause: error });
  }
}
