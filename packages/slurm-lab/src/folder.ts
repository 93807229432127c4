/**
 * folder: what a lab keeps on disk, and nothing of it elsewhere.
 *
 * Writes  `lab.json` (the descriptor, by which another process takes the lab over), `etc log state spool munge pids dev shared`.
 * Keeps   a removal takes away what the lab made; a folder that holds anything else stays.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { writeAccounting } from "./accounting.ts";
import { writeHosts } from "./backup.ts";
import { gresConf, slurmConf } from "./lab-conf.ts";
import { slurmConfIn, type LabPlan } from "./lab-options.ts";

/** What becomes of the folder when the lab stops. */
export type AfterStop = "keep" | "remove";

export interface Descriptor {
  readonly plan: LabPlan;
  /** Unless the stop says otherwise. */
  readonly files: AfterStop;
  /** In use since the last start. */
  readonly portBase: number;
}

const folders = ["etc", "log", "state", "spool", "munge", "pids", "dev", "shared"];
/** There only with `accounting`. */
const more = ["lab.json", "db", "db.socket"];
const descriptorIn = (dir: string) => `${dir}/lab.json`;

/** Undefined: no lab was ever started here, or it was removed. */
export function readDescriptor(dir: string): Descriptor | undefined {
  const path = descriptorIn(dir);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Descriptor) : undefined;
}

/** Again on every start: the ports may be others. */
export function writeFolder(plan: LabPlan, files: AfterStop, portBase: number): void {
  const { dir } = plan;
  for (const folder of folders)
    mkdirSync(`${dir}/${folder}`, { recursive: true, mode: folder === "state" ? 0o700 : 0o755 });
  const key = `${dir}/munge/munge.key`;
  if (!existsSync(key)) writeFileSync(key, randomBytes(128), { mode: 0o600 });
  for (let gpu = 0; gpu < plan.gpus; gpu++) {
    rmSync(`${dir}/dev/fakegpu${gpu}`, { force: true });
    symlinkSync("/dev/null", `${dir}/dev/fakegpu${gpu}`);
  }
  const place = { portBase, host: hostname().split(".")[0] ?? "localhost", user: userInfo().username };
  writeFileSync(slurmConfIn(dir), slurmConf(plan, place));
  writeFileSync(`${dir}/etc/gres.conf`, gresConf(plan));
  writeAccounting(plan, portBase);
  writeHosts(plan);
  const descriptor: Descriptor = { plan, files, portBase };
  writeFileSync(descriptorIn(dir), `${JSON.stringify(descriptor, null, 2)}\n`);
}

export function removeFolder(dir: string): void {
  for (const name of [...folders, ...more]) rmSync(`${dir}/${name}`, { recursive: true, force: true });
  try {
    rmdirSync(dir);
  } catch (error) {
    if (!["ENOTEMPTY", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
