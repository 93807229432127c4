/**
 * grown-backup: a backup of an embedded database, restored into a PostgreSQL.
 *
 * Keeps   the backup as it is: it is unpacked into a temporary folder, read there, and gone.
 */
import { tmpdir } from "node:os";
import type { RestoreBody } from "./back-up.ts";
import { embeddedBackup } from "./embedded-backup.ts";
import { moveToPostgres } from "./move-to-postgres.ts";
import { intoEmptySchema } from "./postgres-backup.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

export function grownBackup(databaseUrl: string): RestoreBody {
  return {
    migrationsIn: (file) => embeddedBackup(tmpdir()).migrationsIn(file),
    load: (file, force) =>
      inTemporaryFolder("reprise-move-", async (folder) => {
        await embeddedBackup(folder).load(file, false);
        return await intoEmptySchema(databaseUrl, force, (client, schema) =>
          moveToPostgres(folder, databaseUrl, client, schema),
        );
      }),
  };
}
