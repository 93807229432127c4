/**
 * Goal    the real Slurm does what `sim/` does and plan relies on: the same stories, told on both. The long ones only with
 *         REPRISE_SLURM_CONTRACT=all (`make slurm-contract`).
 * Method  a lab for each cluster that the stories need, started when the first one needs it; the stories of one lab beside each other.
 */
import { environment } from "@reprise/runtime/environment.ts";
import type { Story } from "@reprise/sac/slurm/contract/story.ts";
import { slurmContract } from "@reprise/sac/slurm/slurm.contract.ts";
import { accountingPackages, missingPackages } from "@reprise/slurm-lab/packages.ts";
import { afterAll, describe } from "vitest";
import { realWorld, type RealWorld } from "./real-world.ts";

const canRun =
  environment()["REPRISE_REAL_SLURM"] === "1" && missingPackages(undefined, accountingPackages).length === 0;
const worlds = new Map<Story["cluster"], Promise<RealWorld>>();

function worldFor(cluster: Story["cluster"]): Promise<RealWorld> {
  const known = worlds.get(cluster) ?? realWorld(cluster);
  worlds.set(cluster, known);
  return known;
}

afterAll(async () => {
  for (const world of worlds.values()) await (await world).end();
}, 60_000);

describe.skipIf(!canRun)("on a lab (needs REPRISE_REAL_SLURM=1, Slurm and slurmdbd)", () =>
  slurmContract("the real Slurm", {
    worldFor,
    release: "22.05",
    isShort: environment()["REPRISE_SLURM_CONTRACT"] !== "all",
  }),
);
