/**
 * facts: what `doctor` could find out about this machine. Nothing here judges; what could not be found out says why.
 *
 * Writes  one small file into the data folder, and removes it.
 * Bound   `commandLimitMs` a command.
 */
import { accessSync, constants, existsSync, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { commandEnvironment } from "@reprise/sac/slurm/command/environment.ts";
import { createRunner } from "@reprise/sac/slurm/command/run.ts";
import type { Console } from "../console.ts";
import { httpGet } from "../http-get.ts";

export type Found<T> =
  | { readonly kind: "found"; readonly value: T }
  | { readonly kind: "not-found"; readonly why: string };

export interface Facts {
  /** Where each Slurm program is, by PATH. */
  readonly programs: readonly { readonly name: string; readonly path: Found<string> }[];
  /** `scontrol show config`. */
  readonly slurmConfig: Found<ReadonlyMap<string, string>>;
  readonly user: string;
  /** The script that slurmctld calls at the end of a job, and the wake file that our script would write. */
  readonly endScript?: Found<{ readonly text: string; readonly isExecutable: boolean; readonly hasWakeFile: boolean }>;
  readonly dataFolder: {
    readonly path: string;
    readonly isWritable: Found<true>;
    readonly freeBytes?: number;
    /** Another machine's disk: locks and fsync cannot be relied on. */
    readonly isShared?: boolean;
    /** The clock of its file system against ours. */
    readonly clockSkewMs?: number;
  };
  /** The clock of the Reprise server against ours. Absent: none answered. */
  readonly serverSkewMs?: number;
}

const programNames = ["scontrol", "squeue", "sinfo", "scancel"];
/** Slurm's own clients give up after 10 s (MessageTimeout). */
const commandLimitMs = 25_000;
const serverLimitMs = 2_000;
/** `f_type` of statfs(2): NFS, Lustre, CIFS, SMB2, FUSE, AFS, BeeGFS, GPFS. */
const sharedTypes = [0x6969, 0x0bd00bd0, 0xff534d42, 0xfe534d42, 0x65735546, 0x5346414f, 0x19830326, 0x47504653];

export async function gatherFacts(dataDir: string, url: string, clock: Clock, console: Console): Promise<Facts> {
  const run = createRunner(clock);
  const env = commandEnvironment(console.env);
  const ask = async (program: string, args: readonly string[]): Promise<Found<string>> => {
    const { rc, stdout, stderr, timedOut } = await run(program, args, { limitMs: commandLimitMs, env });
    if (rc === 0) return { kind: "found", value: stdout.trim() };
    // The last line is the one that says why; those before it are the ways that it tried.
    const words = stderr.trim().split("\n").at(-1) || `exit code ${rc}`;
    return { kind: "not-found", why: timedOut ? `no answer within ${commandLimitMs / 1000} s` : words };
  };
  const programs = programNames.map((name) => ({ name, path: findProgram(name, env["PATH"] ?? "") }));
  const said = await ask("scontrol", ["show", "config"]);
  const slurmConfig: Facts["slurmConfig"] =
    said.kind === "found" ? { kind: "found", value: parseConfig(said.value) } : said;
  const script = slurmConfig.kind === "found" ? slurmConfig.value.get("JobCompLoc") : undefined;
  const isScript = slurmConfig.kind === "found" && slurmConfig.value.get("JobCompType") === "jobcomp/script";
  const serverSkewMs = await askServerSkew(url, clock);
  return {
    programs,
    slurmConfig,
    user: userInfo().username,
    ...(isScript && script !== undefined ? { endScript: readEndScript(script) } : {}),
    dataFolder: lookAtFolder(dataDir, clock.now()),
    ...(serverSkewMs === undefined ? {} : { serverSkewMs }),
  };
}

function findProgram(name: string, path: string): Found<string> {
  const found = path
    .split(":")
    .map((folder) => join(folder, name))
    .find(isExecutable);
  return found === undefined ? { kind: "not-found", why: "not on the PATH" } : { kind: "found", value: found };
}

/** `KillWait                = 30 sec` → `KillWait`: `30 sec`. */
export function parseConfig(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split("\n").flatMap((line) => {
      const [, key, value] = /^(\w[\w[\]]*)\s*=\s(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, (value ?? "").trim()] as const];
    }),
  );
}

function readEndScript(path: string): NonNullable<Facts["endScript"]> {
  try {
    const text = readFileSync(path, "utf8");
    return {
      kind: "found",
      value: { text, isExecutable: isExecutable(path), hasWakeFile: existsSync(`${path}.wake`) },
    };
  } catch (error) {
    return { kind: "not-found", why: messageOf(error) };
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function lookAtFolder(path: string, now: Instant): Facts["dataFolder"] {
  const probe = join(path, `.doctor-${process.pid}`);
  try {
    if (existsSync(path)) writeFileSync(probe, "");
    // A folder that is not there yet is made by `up`: then its parent is what counts.
    else accessSync(nearestFolder(path), constants.W_OK);
    const { bavail, bsize, type } = statfsSync(existsSync(path) ? path : nearestFolder(path));
    const skew = existsSync(probe) ? { clockSkewMs: statSync(probe).mtimeMs - now } : {};
    return {
      path,
      isWritable: { kind: "found", value: true },
      freeBytes: bavail * bsize,
      isShared: sharedTypes.includes(type),
      ...skew,
    };
  } catch (error) {
    return { path, isWritable: { kind: "not-found", why: messageOf(error) } };
  } finally {
    rmSync(probe, { force: true });
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

async function askServerSkew(url: string, clock: Clock): Promise<number | undefined> {
  try {
    const { headers } = await httpGet(new URL("/healthz", url), {}, serverLimitMs);
    const said = Date.parse(String(headers["date"]));
    // Whole seconds: the middle of the second that it names.
    return Number.isNaN(said) ? undefined : said + 500 - clock.now();
  } catch {
    return undefined; // No server is no fault here.
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
