/**
 * host-load: what probes of the attempt's nodes say while training is slow, and so whose loss it is.
 *
 * Takes   `health probe: gpu util 6%, cpu idle 94%, io wait 0%, busiest thread 100%`, as a signature captures it.
 * Gives   a domain. GPUs that idle wait for the program or for storage; GPUs that are busy and slow are the machine's own.
 * Pure    but for the last probe of each node.
 */
import type { Domain } from "@reprise/core/nouns.ts";

const idleGpuPercent = 40;
const waitingPercent = 25;
const nodesMax = 4_096;

interface Probe {
  readonly gpuPercent: number;
  readonly waitPercent: number;
}

export class HostLoad {
  private readonly probes = new Map<string, Probe>();

  heard(node: string, { gpuUtil, ioWait }: Readonly<Record<string, string>>): void {
    if (gpuUtil === undefined || (this.probes.size >= nodesMax && !this.probes.has(node))) return;
    this.probes.set(node, { gpuPercent: Number(gpuUtil), waitPercent: Number(ioWait ?? 0) });
  }

  /** Without a probe: a program does not slow down by itself in the middle of a run; what it runs on does. */
  get domain(): Domain {
    const probes = [...this.probes.values()];
    const idle = probes.filter((probe) => probe.gpuPercent < idleGpuPercent);
    if (probes.length === 0 || idle.length * 2 < probes.length) return "hardware";
    return idle.some((probe) => probe.waitPercent >= waitingPercent) ? "storage" : "workload";
  }
}
