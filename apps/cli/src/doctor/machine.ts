/**
 * machine: what this machine itself shows: its programs, the end-of-job script, the data folder, what SAC and the watchdog
 * left there.
 *
 * Writes  one small file into the data folder, and removes it.
 * Gives   what could not be found out says why. Never throws.
 */
import { accessSync, constants, existsSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Heartbeat } from "@reprise/core/watchdog/stranded.ts";
import { openBeside, type WatchdogBeat } from "@reprise/sac/beside.ts";
import { type Found, found, notFound, tryTo } from "./found.ts";

export interface EndScript {
  readonly text: string;
  readonly isExecutable: boolean;
  /** When the wake file that our script writes was last written. Absent: there is none. */
  readonly wokeAt?: Instant;
}

export interface DataFolder {
  readonly path: string;
  readonly isWritable: Found<true>;
  readonly freeBytes?: number;
  /** Another machine's disk: locks and fsync cannot be relied on. */
  readonly isShared?: boolean;
  /** The clock of its file system against ours. */
  readonly clockSkewMs?: number;
}

/** What SAC and the watchdog last left beside the journal. Absent: never, or on another host. */
export interface Beats {
  readonly sac?: Heartbeat;
  readonly watchdog?: WatchdogBeat;
  readonly isKillSwitchOn: boolean;
}

/** `f_type` of statfs(2): NFS, Lustre, CIFS, SMB2, FUSE, AFS, BeeGFS, GPFS. */
const sharedTypes = [0x6969, 0x0bd00bd0, 0xff534d42, 0xfe534d42, 0x65735546, 0x5346414f, 0x19830326, 0x47504653];

export function findProgram(name: string, path: string): Found<string> {
  const program = path
    .split(":")
    .map((folder) => join(folder, name))
    .find(isExecutable);
  return program === undefined ? notFound("not on the PATH") : found(program);
}

export function readEndScript(path: string): Found<EndScript> {
  return tryTo(() => {
    const wake = tryTo(() => statSync(`${path}.wake`).mtimeMs);
    return {
      text: readFileSync(path, "utf8"),
      isExecutable: isExecutable(path),
      ...(wake.kind === "found" ? { wokeAt: wake.value } : {}),
    };
  });
}

export function canRead(path: string): Found<true> {
  return tryTo(() => {
    accessSync(path, constants.R_OK);
    return true;
  });
}

export function lookAtFolder(path: string, now: Instant): DataFolder {
  const probe = join(path, `.doctor-${process.pid}`);
  const looked = tryTo(() => {
    if (existsSync(path)) writeFileSync(probe, "");
    // A folder that is not there yet is made by `up`: then its parent is what counts.
    else accessSync(nearestFolder(path), constants.W_OK);
    const { bavail, bsize, type } = statfsSync(existsSync(path) ? path : nearestFolder(path));
    const skew = existsSync(probe) ? { clockSkewMs: statSync(probe).mtimeMs - now } : {};
    return { freeBytes: bavail * bsize, isShared: sharedTypes.includes(type), ...skew };
  });
  rmSync(probe, { force: true });
  return looked.kind === "found" ? { path, isWritable: found(true), ...looked.value } : { path, isWritable: looked };
}

/** @param stateDir SAC's folder; it is not made where it is missing. */
export function readBeats(stateDir: string): Beats {
  if (!existsSync(stateDir)) return { isKillSwitchOn: false };
  const beside = openBeside(stateDir);
  const [sac, watchdog] = [beside.heartbeat(), beside.watchdogBeat()];
  return {
    ...(sac === undefined ? {} : { sac }),
    ...(watchdog === undefined ? {} : { watchdog }),
    isKillSwitchOn: beside.isKillSwitchOn(),
  };
}

function isExecutable(path: string): boolean {
  return tryTo(() => accessSync(path, constants.X_OK)).kind === "found";
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}
