/**
 * identity: who this SAC is to the lease: the same over its restarts, so that a SAC that died takes its lease up again at once.
 *
 * Takes   the state folder, which is one SAC's own; a folder that was lost makes a new SAC, which waits for the old one's lease to run out.
 * Writes  `identity` in it, once.
 * Keeps   one living SAC a folder: a second one waits until the first has ended, however it ended. Otherwise both would hold the lease.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Life } from "@reprise/runtime/life.ts";
import { type OsLock, tryOsLock } from "@reprise/runtime/os-lock.ts";

const retryMs = 500;

export interface Identity {
  readonly id: string;
  /** Gives the folder to the next SAC. */
  release(): void;
}

/** @returns Undefined: the life has ended while another SAC had the folder. */
export async function takeIdentity(stateDir: string, life: Life): Promise<Identity | undefined> {
  const lock = await waitForFolder(stateDir, life);
  if (lock === undefined) return undefined;
  const path = join(stateDir, "identity");
  if (!existsSync(path)) {
    writeFileSync(`${path}.new`, life.chance.uuid(), { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  return { id: readFileSync(path, "utf8").trim(), release: () => lock.release() };
}

async function waitForFolder(stateDir: string, { clock, log, signal }: Life): Promise<OsLock | undefined> {
  for (let said = false; !signal.aborted; said = true) {
    const lock = tryOsLock(join(stateDir, "sac.lock"));
    if (lock !== undefined) return lock;
    if (!said) log.warn({ stateDir }, "another SAC uses this state folder; this one waits until it has ended");
    await clock.sleep(retryMs, signal);
  }
  return undefined;
}
