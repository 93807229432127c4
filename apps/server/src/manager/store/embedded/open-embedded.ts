/**
 * open-embedded: the store on a folder of this machine: PGlite, with the five things that it lacks as shipped.
 *
 * Takes    a folder; it is made when missing, and closed to everybody else (0700; PGlite's own files are 0666).
 * Gives    the store. One process a folder: a second one is refused and has changed nothing.
 * Keeps    fsync with its proof (`open-lite`), a thread of its own (`worker-client`), checkpoints and vacuum (`maintenance`), a lock
 *          on the folder, and one session that everybody takes in turn (`query-client`).
 * Fails    `precondition`, naming the folder, when it is in use or cannot be made or written.
 */
import { chmodSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Kysely, PostgresDialect, type PostgresPool } from "kysely";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { tryOsLock, type OsLock } from "@reprise/runtime/os-lock.ts";
import type { Store } from "../../store.ts";
import { sendingAhead } from "../postgres/ahead.ts";
import { createLocalChanges } from "../postgres/changes.ts";
import { createStore } from "../postgres/create-store.ts";
import { migrate } from "../postgres/migrate.ts";
import type { Tables } from "../postgres/schema.ts";
import { counting, createMaintenance, startMaintenance } from "./maintenance.ts";
import { createSingleClientPool } from "./query-client.ts";
import { openWorkerClient } from "./worker-client.ts";

export async function openEmbedded(dataDir: string, life: Life): Promise<Store> {
  const { pool, close } = await openEmbeddedPool(dataDir, life);
  try {
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    await migrate(db);
    return { ...createStore(db, createLocalChanges()), close };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface EmbeddedPool {
  readonly pool: PostgresPool;
  readonly fsyncsProven: number;
  close(): Promise<void>;
}

export async function openEmbeddedPool(dataDir: string, life: Life): Promise<EmbeddedPool> {
  const folder = resolve(dataDir);
  const lock = lockFolder(folder);
  try {
    const worker = await openWorkerClient(folder);
    const { client, changed } = counting(worker);
    const pool = sendingAhead(createSingleClientPool(client));
    const stop = new AbortController();
    const loop = startMaintenance(createMaintenance(pool, changed, life.clock), { ...life, signal: stop.signal });
    let closed: Promise<void> | undefined;
    const closeOnce = async () => {
      stop.abort();
      await loop.ended;
      await pool.end();
      lock.release();
    };
    return { pool, fsyncsProven: worker.fsyncsProven, close: () => (closed ??= closeOnce()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Makes the folder where it is missing, and closes it to everybody else. */
export function lockFolder(folder: string): OsLock {
  let lock: OsLock | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock = tryOsLock(join(folder, "lock.db"));
    if (lock !== undefined) chmodSync(folder, 0o700);
  } catch (error) {
    lock?.release();
    throw new Refusal("precondition", `dataDir ${folder}: cannot be used: ${(error as Error).message}`);
  }
  if (lock !== undefined) return lock;
  throw new Refusal(
    "precondition",
    `dataDir ${folder}: another Reprise process is using it; stop that one, or give another folder`,
  );
}
