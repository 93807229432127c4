/**
 * fence-file: the highest lease term and epoch that anybody on this host acts under: `<stateDir>/fence.json`.
 *
 * Takes    `{"leaseTerm":4,"epoch":1}`, which SAC writes when it gains a term and the watchdog when it raises the epoch
 *          (`beside.ts`), by rename: a reader sees the old or the new one, never half.
 * Keeps    a command child reads it last of all, just before it sends: whoever was overtaken sends nothing.
 * Fails    a file that is not there is a fence nobody has raised yet: the watchdog must be able to release with a disk that
 *          cannot be written. One that is there and cannot be read is a `Refusal` `unavailable`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Fence } from "../slurm.ts";

export type FenceLevel = Pick<Fence, "leaseTerm" | "epoch">;

const fileOf = (stateDir: string) => join(stateDir, "fence.json");

export function readFence(stateDir: string): FenceLevel | undefined {
  let text: string;
  try {
    text = readFileSync(fileOf(stateDir), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Refusal("unavailable", `${fileOf(stateDir)} could not be read: ${(error as Error).message}`);
  }
  const level = parseLevel(text);
  if (level === undefined)
    throw new Refusal(
      "unavailable",
      `${fileOf(stateDir)} holds ${JSON.stringify(text.slice(0, 100))}, expected leaseTerm and epoch`,
    );
  return level;
}

function parseLevel(text: string): FenceLevel | undefined {
  try {
    const { leaseTerm, epoch } = JSON.parse(text) as Record<string, unknown>;
    return Number.isSafeInteger(leaseTerm) && Number.isSafeInteger(epoch)
      ? { leaseTerm: leaseTerm as number, epoch: epoch as number }
      : undefined;
  } catch {
    return undefined;
  }
}
