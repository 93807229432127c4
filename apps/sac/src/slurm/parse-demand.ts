/**
 * parse-demand: what squeue tells of the CPUs, memory and generic resources that a job asks of each node.
 *
 * Pure, total   A value that cannot be read says nothing.
 * Source        docs/decisions/0050, where each form was tried on 22.05.8.
 */
import type { NodeDemand } from "@reprise/core/fact/node-hardware.ts";
import { parseCount, setText } from "./parse-value.ts";
import type { Column } from "./squeue-columns.ts";

/** @param text  Of a column of the row. */
export function parseDemand(text: (column: Column) => string): NodeDemand {
  const cpus = parseCount(text("MinCpus"));
  const memory = memoryMb(text("MinMemory"));
  const gres = gresPerNode(text);
  return {
    ...(cpus === undefined ? {} : { cpusPerNode: cpus }),
    ...(memory === undefined ? {} : { memoryMbPerNode: memory }),
    ...(gres === undefined ? {} : { gresPerNode: gres }),
  };
}

/** `2000M` and `0`, in whole MB; with `--noconvert` Slurm names no other unit. `undefined`: none is asked for, or it cannot be read. */
function memoryMb(text: string): number | undefined {
  const [, count = ""] = /^(\d{1,12})M?$/.exec(text) ?? [];
  return Number(count) === 0 ? undefined : Number(count);
}

/**
 * What each node must have, at least: what is asked for each node; for each task and each socket, since a node has one or more; and one
 * of what is asked for the whole job: Slurm gives it no node without any (tried on 22.05.8).
 *
 * @returns `gres:gpu:h100:2`, several between commas, as squeue prints them. `undefined`: none.
 */
function gresPerNode(text: (column: Column) => string): string | undefined {
  const gres = (column: Column) => (setText(text(column)) ?? "").split(",").filter((one) => /^gres[:/]/.test(one));
  const any = gres("tres-per-job").map((one) => one.replace(/[:=]\d+[KMGT]?$/, ""));
  return setText([...gres("tres-per-node"), ...gres("tres-per-task"), ...gres("tres-per-socket"), ...any].join(","));
}
