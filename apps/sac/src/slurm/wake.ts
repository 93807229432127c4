/**
 * wake: hears that Slurm's jobcomp script wrote into the wake file, and says so.
 *
 * In the loop   a job ends → `jobcomp/reprise-jobcomp` → **this** → the loop looks now, not at its next interval
 * Writes        the wake file, empty, if there is none; everybody may write to it, since slurmctld runs the script as SlurmUser. What it
 *               holds is never read: the folder's own permissions decide who may wake us, and waking is all he can do.
 * Keeps         a lost, repeated or forged event costs one look at most; polling is the truth.
 * Fails         `onLost` once, when the folder cannot be watched (any more): then only polling is left.
 * Source        slurm.md §4: the script runs 8 to 15 ms after a job's last line.
 */
import { chmodSync, closeSync, openSync, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface Wake {
  close(): void;
}

export function watchWake(file: string, onWake: () => void, onLost: (why: string) => void): Wake {
  // The folder, not the file: so that it may be removed and made again.
  try {
    createIfMissing(file);
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(file)) onWake();
    });
    watcher.on("error", (error) => {
      watcher.close();
      onLost(error.message);
    });
    return { close: () => watcher.close() };
  } catch (error) {
    onLost(error instanceof Error ? error.message : String(error));
    return { close: () => {} };
  }
}

function createIfMissing(file: string): void {
  try {
    closeSync(openSync(file, "ax", 0o622));
    chmodSync(file, 0o622); // The umask had its say in `open`.
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
