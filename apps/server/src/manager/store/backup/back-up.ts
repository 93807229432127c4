/**
 * back-up: everything that the server keeps, in one file; and back.
 *
 * Takes    the database of the configuration: the embedded one with its server stopped, a PostgreSQL at any time (`pg_dump`).
 * Writes   the file (mode 0600), whole or not at all. A restore replaces the database; what was there is set aside, not deleted. It may
 *          bring a PostgreSQL what an embedded database had; not the other way round.
 * Fails    `precondition`, before anything is changed: a file that is there already or is no backup, one of another kind or from a
 *          newer Reprise, a server that runs, a database that is not empty (unless `force`).
 */
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { Refusal } from "@reprise/core/refusal.ts";
import type { StoreConfig } from "../open-store.ts";
import { knownMigrations } from "../postgres/migrate.ts";
import { embedded, embeddedBackup } from "./embedded-backup.ts";
import { grownBackup } from "./grown-backup.ts";
import { postgres, postgresBackup } from "./postgres-backup.ts";

/** One kind of database. */
export interface BackupBody extends RestoreBody {
  readonly kind: string;
  /** Into an empty file that is there. */
  save(file: string): Promise<void>;
}

export interface RestoreBody {
  /** @returns The migrations that the database in the file has been through. */
  migrationsIn(file: string): Promise<readonly string[]>;
  /** @returns Where what was there before is now; absent: there was nothing. */
  load(file: string, force: boolean): Promise<string | undefined>;
}

const bodyOf = ({ databaseUrl, dataDir }: StoreConfig): BackupBody =>
  databaseUrl === undefined ? embeddedBackup(dataDir) : postgresBackup(databaseUrl);

export async function backUp(config: StoreConfig, file: string): Promise<void> {
  if (existsSync(file)) throw new Refusal("precondition", `${file}: is there already; a backup overwrites nothing`);
  const partial = `${file}.partial`;
  try {
    closeSync(openSync(partial, "w", 0o600));
  } catch (error) {
    throw new Refusal("precondition", `${file}: cannot be written: ${(error as Error).message}`);
  }
  try {
    await bodyOf(config).save(partial);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** @returns Where what was there before is now. */
export async function restore(config: StoreConfig, file: string, force: boolean): Promise<string | undefined> {
  const body = bodyFor(config, kindOf(file), file);
  const newer = (await body.migrationsIn(file)).filter((name) => !knownMigrations.includes(name));
  if (newer.length > 0) {
    throw new Refusal(
      "precondition",
      `${file}: comes from a newer Reprise: it has ${newer.join(", ")}, and this one knows migrations up to ${knownMigrations.at(-1)}`,
    );
  }
  return await body.load(file, force);
}

/** A PostgreSQL also takes what an embedded database had. */
function bodyFor(config: StoreConfig, kind: string, file: string): RestoreBody {
  const body = bodyOf(config);
  if (kind === body.kind) return body;
  if (kind === embedded && config.databaseUrl !== undefined) return grownBackup(config.databaseUrl);
  throw new Refusal(
    "precondition",
    `${file}: is a backup of ${kind}, and the configuration names ${body.kind}; expected the same kind`,
  );
}

/** By its first bytes: gzip, or the custom format of `pg_dump`. */
function kindOf(file: string): string {
  const head = Buffer.alloc(5);
  try {
    const opened = openSync(file, "r");
    readSync(opened, head);
    closeSync(opened);
  } catch (error) {
    throw new Refusal("precondition", `${file}: cannot be read: ${(error as Error).message}`);
  }
  if (head.toString("latin1") === "PGDMP") return postgres;
  if (head[0] === 0x1f && head[1] === 0x8b) return embedded;
  throw new Refusal("precondition", `${file}: is no backup of Reprise`);
}
