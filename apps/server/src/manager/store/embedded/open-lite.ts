/**
 * open-lite: opens PGlite on a folder so that what it acknowledges is on the disk.
 *
 * Takes    a folder that nobody else uses: the caller holds its lock.
 * Gives    the one session of the database. It blocks the thread it runs in: the product opens it in a worker.
 * Writes   `<folder>/pg`. It is made as `pg.new` and renamed once all of it is on the disk: it is there whole, or not at all.
 * Fails    when a commit caused no fsync: then nothing that it promises would survive a loss of power.
 */
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { createPgConfig } from "@electric-sql/pglite/node-postgres";
import pg from "pg";
import { numericTypes } from "../postgres/numeric-types.ts";
import { DurableNodeFs, fsyncPath, fsyncTree } from "./durable-node-fs.ts";
import type { QueryClient } from "./query-client.ts";

/** In place of PGlite's own `-F`, which turns fsync off. Its memory stays small; the checkpoints are ours (`maintenance.ts`). */
const durable = {
  fsync: "on",
  wal_sync_method: "fsync",
  shared_buffers: "16MB",
  max_wal_size: "64MB",
  min_wal_size: "32MB",
};

export interface Lite extends QueryClient {
  /** How many fsyncs one commit caused at the start. */
  readonly fsyncsProven: number;
}

/** @param settings Server settings that differ from ours; for the test of the self-test. */
export async function openLite(folder: string, settings: Partial<typeof durable> = {}): Promise<Lite> {
  const data = join(folder, "pg");
  if (!existsSync(data)) await initialise(folder, data);
  const files = new DurableNodeFs(data);
  const lite = await create(files, settings);
  const client = new pg.Client({ ...createPgConfig(lite), types: numericTypes });
  await client.connect();

  const before = files.fsyncs;
  await client.query("select pg_logical_emit_message(true, 'reprise', 'does a commit reach the disk?')");
  const fsyncsProven = files.fsyncs - before;
  if (fsyncsProven === 0) {
    await lite.close();
    throw new Error(
      `data folder ${folder}: a commit caused no fsync; the embedded database would lose what it has acknowledged`,
    );
  }
  let ended: Promise<void> | undefined;
  return {
    fsyncsProven,
    query: (sql, parameters) => client.query(sql, [...parameters]),
    end() {
      ended ??= client.end().then(() => lite.close());
      return ended;
    },
  };
}

async function initialise(folder: string, data: string): Promise<void> {
  const fresh = `${data}.new`;
  rmSync(fresh, { recursive: true, force: true }); // A start that was killed left it; nothing in it was ever used.
  const lite = await create(new DurableNodeFs(fresh), {});
  await lite.close();
  fsyncTree(fresh);
  renameSync(fresh, data);
  fsyncPath(folder);
}

function create(files: DurableNodeFs, settings: Partial<typeof durable>): Promise<PGlite> {
  const parameters = Object.entries({ ...durable, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const startParams = [...PGlite.defaultStartParams.filter((parameter) => parameter !== "-F"), ...parameters];
  return PGlite.create({ fs: files, startParams });
}
