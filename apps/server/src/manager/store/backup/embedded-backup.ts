/**
 * embedded-backup: the folder of the embedded database as a compressed tar, after a short note on what is in it.
 *
 * Keeps   the lock on the data folder all the while: nobody writes what is copied or replaced.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Refusal } from "@reprise/core/refusal.ts";
import { fsyncPath, fsyncTree } from "../embedded/durable-node-fs.ts";
import { lockFolder } from "../embedded/open-embedded.ts";
import { openWorkerClient } from "../embedded/worker-client.ts";
import type { BackupBody } from "./back-up.ts";
import { runTool } from "./run-tool.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";

/** Raised when an older program could not restore what is written now. */
const format = 1;
const noteFile = "reprise-backup.json";

interface Note {
  readonly format: number;
  readonly migrations: readonly string[];
}

export const embedded = "an embedded database";

export function embeddedBackup(dataDir: string): BackupBody {
  const folder = resolve(dataDir);
  const data = join(folder, "pg");
  return {
    kind: embedded,
    async save(file) {
      if (!existsSync(data)) throw new Refusal("precondition", `dataDir ${folder}: there is no database in it`);
      await underLock(folder, () =>
        inTemporaryFolder("reprise-backup-", async (beside) => {
          const note: Note = { format, migrations: await migrationsOf(folder) };
          writeFileSync(join(beside, noteFile), `${JSON.stringify(note)}\n`);
          await runTool("tar", ["-czf", resolve(file), "-C", beside, noteFile, "-C", folder, "pg"]);
          fsyncPath(file);
        }),
      );
    },
    async migrationsIn(file) {
      const note = JSON.parse(await runTool("tar", ["-xzOf", resolve(file), noteFile])) as Note;
      if (note.format === format) return note.migrations;
      throw new Refusal("precondition", `${file}: has the backup format ${note.format}; this Reprise knows ${format}`);
    },
    async load(file, force) {
      return await underLock(folder, async () => {
        const aside = join(folder, "pg.before-restore");
        if (existsSync(data)) {
          if (!force) {
            throw new Refusal(
              "precondition",
              `dataDir ${folder}: has a database already; --force sets it aside as ${aside}`,
            );
          }
          if (existsSync(aside)) throw new Refusal("precondition", `${aside}: is there already; move it away first`);
        }
        const fresh = join(folder, "pg.restored");
        rmSync(fresh, { recursive: true, force: true }); // A restore that was killed left it.
        mkdirSync(fresh, { mode: 0o700 });
        await runTool("tar", ["-xzf", resolve(file), "-C", fresh, "pg"]);
        fsyncTree(fresh);
        const wasThere = existsSync(data);
        if (wasThere) renameSync(data, aside);
        renameSync(join(fresh, "pg"), data);
        fsyncPath(folder);
        rmSync(fresh, { recursive: true });
        return wasThere ? aside : undefined;
      });
    },
  };
}

/** Opening it also shows that it can be opened. It is closed in good order: what is copied needs no recovery. */
async function migrationsOf(folder: string): Promise<string[]> {
  const client = await openWorkerClient(folder);
  try {
    const { rows } = await client.query("select name from kysely_migration order by name", []);
    return (rows as { name: string }[]).map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function underLock<T>(folder: string, body: () => Promise<T>): Promise<T> {
  const lock = lockFolder(folder);
  try {
    return await body();
  } finally {
    lock.release();
  }
}
