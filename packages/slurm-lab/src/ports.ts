/**
 * ports: finds a block of TCP ports for one lab, and keeps other labs off it.
 *
 * Gives   the first port of a block of `blockPorts` (or several side by side) of which none is in use.
 * Keeps   two labs never take the same block: while this process lives, an abstract socket named after the block is held
 *         (the kernel frees it with the process, whatever happens); after that the daemons themselves keep it, since a
 *         block with a single port in use is passed over whole.
 * Fails   `LabRefusal` `unavailable` when no block is free, or when the wanted one is not.
 * Bound   the ports from `firstPort` to `lastPort`: below those that Linux gives to outgoing connections.
 */
import { createServer, type Server } from "node:net";
import { LabRefusal } from "./lab-options.ts";

export interface PortClaim {
  readonly base: number;
  release(): void;
}

const blockPorts = 64;
const firstPort = 20_032;
const lastPort = 32_703;

/** @param count  How many ports are needed, from the base up. */
export async function claimPorts(count: number, wanted?: number): Promise<PortClaim> {
  if (wanted !== undefined) {
    const claim = await claimBlock(wanted, count);
    if (claim === undefined)
      throw new LabRefusal("unavailable", `portBase: of the ports ${wanted} to ${wanted + count - 1} one is in use`);
    return claim;
  }
  const span = Math.ceil(count / blockPorts) * blockPorts;
  for (let base = firstPort; base + span - 1 <= lastPort; base += span) {
    const claim = await claimBlock(base, span);
    if (claim !== undefined) return claim;
  }
  throw new LabRefusal("unavailable", `no ${span} free ports side by side from ${firstPort} to ${lastPort}`);
}

async function claimBlock(base: number, span: number): Promise<PortClaim | undefined> {
  const locks: Server[] = [];
  const release = () => locks.splice(0).forEach((lock) => lock.close());
  for (let block = Math.floor(base / blockPorts); block <= Math.floor((base + span - 1) / blockPorts); block++) {
    const lock = await listen({ path: `\0reprise-lab-ports-${block}` });
    if (lock === undefined) return void release();
    lock.unref();
    locks.push(lock);
  }
  for (let port = base; port < base + span; port++) {
    const probe = await listen({ port, host: "0.0.0.0" }); // Slurm's daemons listen on all addresses.
    if (probe === undefined) return void release();
    await new Promise((closed) => probe.close(closed));
  }
  return { base, release };
}

/** Undefined: in use, or not ours to take. */
function listen(where: { path: string } | { port: number; host: string }): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", () => resolve(undefined));
    server.listen({ ...where, exclusive: true }, () => resolve(server));
  });
}
