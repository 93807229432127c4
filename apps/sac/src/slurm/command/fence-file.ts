/**
 * fence-file: the highest lease term and epoch that anybody on this host acts under: `<stateDir>/fence.json` and `epoch.json`; and what
 * people have stopped.
 *
 * Takes    `{"leaseTerm":4}`, which SAC writes under the lock when it gains a term, and `{"epoch":1}`, which the watchdog writes when
 *          nobody gives up the lock (`beside.ts`): one writer each, so that neither writes back what it had read before the other raised
 *          it. By rename: a reader sees the old or the new one, never half.
 * Keeps    a command child reads them last of all, just before it sends: whoever was overtaken sends nothing.
 * Fails    a file that is not there is a fence nobody has raised yet: the watchdog must be able to release with a disk that
 *          cannot be written. One that is there and cannot be read is a `Refusal` `unavailable`.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClusterOrders, whyNothingNew } from "@reprise/core/mode/cluster-orders.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Fence } from "../slurm.ts";

export type FenceLevel = Pick<Fence, "leaseTerm" | "epoch">;

export const fenceFiles = { leaseTerm: "fence.json", epoch: "epoch.json" } as const satisfies Record<
  keyof FenceLevel,
  string
>;

/** A person has made the file: nothing new is begun while it exists. */
export const isKillSwitchOn = (stateDir: string): boolean => existsSync(join(stateDir, "kill-switch"));

export const ordersFile = "orders.json";

/** Why nothing new may be sent now, whatever was planned: the kill switch, or what people have ordered, as SAC has written it down last. */
export const whyStopped = (stateDir: string): string | undefined =>
  whyNothingNew(isKillSwitchOn(stateDir), readSmall<ClusterOrders>(stateDir, ordersFile));

/** Written by rename: whole or the one before. Undefined: it is not there, or cannot be read. */
export function readSmall<T>(stateDir: string, name: string): T | undefined {
  try {
    return JSON.parse(readFileSync(join(stateDir, name), "utf8")) as T;
  } catch {
    return undefined;
  }
}

export function readFence(stateDir: string): FenceLevel | undefined {
  const [leaseTerm, epoch] = [readLevel(stateDir, "leaseTerm"), readLevel(stateDir, "epoch")];
  return leaseTerm === undefined && epoch === undefined ? undefined : { leaseTerm: leaseTerm ?? 0, epoch: epoch ?? 0 };
}

function readLevel(stateDir: string, key: keyof FenceLevel): number | undefined {
  const path = join(stateDir, fenceFiles[key]);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Refusal("unavailable", `${path} could not be read: ${(error as Error).message}`);
  }
  const level = parseLevel(text, key);
  if (level === undefined)
    throw new Refusal("unavailable", `${path} holds ${JSON.stringify(text.slice(0, 100))}, expected ${key}`);
  return level;
}

function parseLevel(text: string, key: keyof FenceLevel): number | undefined {
  try {
    const level = (JSON.parse(text) as Record<string, unknown>)[key];
    return Number.isSafeInteger(level) ? (level as number) : undefined;
  } catch {
    return undefined;
  }
}
