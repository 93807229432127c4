/**
 * parse-nodes: `sinfo -a -N -h -o '%N %T %R %b %c %m %G'` as the table of nodes.
 *
 * Takes         one row for each node in each partition: `n4 drained* gpu h100,rack2 16 64000 gpu:h100:8`, delimited as in `squeue-columns.ts`.
 * Gives         each node once, with all its partitions; `undefined` when the listing was cut, has a row of another shape, or
 *               names no node at all (a cluster without nodes is not believable).
 * Keeps         a state that we do not know is not eligible: "enough nodes remain" never counts on it.
 * Pure, total
 * Source        man sinfo, NODE STATE CODES, of 22.05 and 25.11.
 */
import type { NodeHardware } from "@reprise/core/fact/node-hardware.ts";
import type { SlurmNode } from "@reprise/core/nouns.ts";
import type { ReservationsOf } from "./parse-reservations.ts";
import { isUnset, parseCount, setText } from "./parse-value.ts";
import { splitRows } from "./squeue-columns.ts";

/** `%b`: the features that are active; `%c` CPUs, `%m` MB of memory, `%G` generic resources, all as configured. */
export const nodeFields = ["%N", "%T", "%R", "%b", "%c", "%m", "%G"] as const;

/** A job may be given a node in one of these, now or when the one before has ended. */
const usable: ReadonlySet<string> = new Set(["idle", "mixed", "allocated", "completing", "planned"]);

/** @param held  The reservations that hold each node. Absent: they are not known. */
export function parseNodes(
  text: string,
  mark: string,
  held?: ReservationsOf,
): ReadonlyMap<string, SlurmNode> | undefined {
  const nodes = new Map<string, SlurmNode>();
  for (const row of splitRows(text, mark) ?? []) {
    const [name = "", state = "", partition = "", features = "", ...hardware] = row;
    if (row.length !== nodeFields.length || name === "" || state === "") return undefined;
    const known = nodes.get(name);
    const partitions = [...(known?.partitions ?? []), partition];
    nodes.set(name, {
      name,
      state,
      isEligible: isEligible(state),
      partitions,
      features: isUnset(features) ? [] : features.split(","),
      ...(held === undefined ? {} : { reservations: held.get(name) ?? [] }),
      ...hardwareOf(hardware),
    });
  }
  return nodes.size === 0 ? undefined : nodes;
}

/** The wire's. */
const countMax = 0x7fff_ffff;

/** What cannot be read is not known; the node is there all the same. */
function hardwareOf([cpuCount = "", mb = "", gres = ""]: readonly string[]): { readonly hardware?: NodeHardware } {
  const [cpus = Infinity, memoryMb = Infinity] = [parseCount(cpuCount), parseCount(mb)];
  if (Math.max(cpus, memoryMb) > countMax) return {};
  return { hardware: { cpus, memoryMb, gres: setText(gres) ?? "" } };
}

/**
 * `~` powered down by Slurm's power saving and woken for a job, `#` being woken, `-` planned for a job, `+` some of its jobs are
 * completing. Any other suffix is not usable: `*` does not answer, `$` maintenance, `@` `^` reboot, `!` `%` on its way down.
 */
function isEligible(state: string): boolean {
  return usable.has(state.replace(/[~#+-]$/, ""));
}
