/**
 * hardware-demand: the CPUs, memory and GPUs that a job asks of each of its nodes, and what a node lacks of them.
 *
 * In the loop   part of counting eligible nodes
 * Pure, total   Anybody may publish an attempt: what is not of its type says nothing.
 * Keeps         a node lacks something only where Slurm, too, would never give it to this job; where that is not known the node counts, and
 *               the doubt is said.
 * Source        docs/decisions/0050.
 */
import type { NodeHardware } from "../fact/node-hardware.ts";
import { type Gres, hasGres, readGres } from "./gres.ts";

export interface HardwareDemand {
  readonly cpus: number;
  readonly memoryMb: number;
  /** As the job asks for it, for a person. */
  readonly gresText: string;
  readonly gres: readonly Gres[];
  /** What the nodes have, read, by their text; mostly all have the same. Undefined: of no form that is counted. */
  readonly read: ReadonlyMap<string, readonly Gres[] | undefined>;
  /** Why some nodes may not do although they count. */
  readonly unknown: readonly string[];
}

interface NodeOf {
  readonly hardware?: NodeHardware;
}

export function hardwareDemandOf(slurm: Readonly<Record<string, unknown>>, nodes: readonly NodeOf[]): HardwareDemand {
  const { cpusPerNode, memoryMbPerNode, gresPerNode } = slurm;
  const [cpus, memoryMb] = [numberOf(cpusPerNode), numberOf(memoryMbPerNode)];
  const text = typeof gresPerNode === "string" ? gresPerNode : "";
  const gres = readGres(text);
  const gresText = text.replaceAll(/\bgres[:/]/g, "");
  const has = new Set(nodes.map(({ hardware }) => hardware?.gres ?? ""));
  const read = new Map(gres === undefined || gres.length === 0 ? [] : Array.from(has, (one) => [one, readGres(one)]));
  const unknown: string[] = [];
  if (gres === undefined) unknown.push(`it asks for ${gresText}, which is of no form that is counted`);
  const isAsking = cpus > 1 || memoryMb > 0 || (gres ?? []).length > 0; // One CPU has every node.
  if (isAsking && nodes.some(({ hardware }) => hardware === undefined))
    unknown.push("it asks for CPUs, memory or GPUs, and of some nodes it is not known what they have");
  else if ([...read.values()].includes(undefined))
    unknown.push(`it asks for ${gresText}, and some nodes' generic resources are of no form that is counted`);
  return { cpus, memoryMb, gresText, gres: gres ?? [], read, unknown };
}

const numberOf = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);

/** In words that follow a number of nodes. `undefined`: nothing, as far as is known. */
export function lackOf(hardware: NodeHardware | undefined, asked: HardwareDemand): string | undefined {
  if (hardware === undefined) return undefined;
  if (hardware.cpus < asked.cpus) return `with fewer than ${asked.cpus} CPUs`;
  if (hardware.memoryMb < asked.memoryMb) return `with less than ${asked.memoryMb} MB of memory`;
  if (asked.gres.length === 0) return undefined;
  const has = asked.read.get(hardware.gres);
  return has === undefined || hasGres(has, asked.gres) ? undefined : `without ${asked.gresText}`;
}
