/**
 * grown-backup: a backup of an embedded database, restored into a PostgreSQL.
 *
 * Keeps   the backup as it is: it is unpacked into a temporary folder, read there, and gone.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RestoreBody } from "./back-up.ts";
import { embeddedBackup } from "./embedded-backup.ts";
import { moveToPostgres } from "./move-to-postgres.ts";
import { intoEmptySchema } from "./postgres-backup.ts";

export function grownBackup(databaseUrl: string): RestoreBody {
  return {
    migrationsIn: (file) => embeddedBackup(tmpdir()).migrationsIn(file),
    async load(file, force) {
      const folder = mkdtempSync(join(tmpdir(), "reprise-move-"));
      try {
        await embeddedBackup(folder).load(file, false);
        return await intoEmptySchema(databaseUrl, force, (client, schema) =>
          moveToPostgres(folder, databaseUrl, client, schema),
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}
