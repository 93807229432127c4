/**
 * slurm.contract: what every body of `Slurm`, and every Slurm behind one, must do; the simulated one is trusted because it passes what the
 * real one passes.
 *
 * Takes   clusters to tell the stories in: `worldFor` is called once a story, and may give the same one each time.
 * Keeps   stories of one cluster run beside each other, but for those that need it for themselves.
 * Source  slurm.md §2 and §6; each story was first seen on a real 22.05.8.
 */
import { describe, expect, test } from "vitest";
import type { World } from "./contract-world.ts";
import { controllerStories } from "./contract/controller.contract.ts";
import { dependentStories } from "./contract/dependents.contract.ts";
import { endingStories } from "./contract/endings.contract.ts";
import { holdStories } from "./contract/hold.contract.ts";
import { kindStories } from "./contract/kinds.contract.ts";
import { nodeStories } from "./contract/nodes.contract.ts";
import { recoveryStories } from "./contract/recovery.contract.ts";
import { releaseStories } from "./contract/releases.contract.ts";
import { rightStories } from "./contract/rights.contract.ts";
import { requeueStories } from "./contract/requeue.contract.ts";
import { untold } from "./contract/rows.ts";
import { nameOf, type Release, type Story } from "./contract/story.ts";
import { updateStories } from "./contract/update.contract.ts";

export const stories: readonly Story[] = [
  ...endingStories, // The longest first.
  ...nodeStories,
  ...dependentStories,
  ...recoveryStories,
  ...requeueStories,
  ...holdStories,
  ...updateStories,
  ...kindStories,
  ...rightStories,
  ...controllerStories,
  ...releaseStories,
];

export interface Telling {
  readonly worldFor: (cluster: Story["cluster"]) => Promise<World>;
  readonly release: Release;
  /** Without the long ones. */
  readonly isShort?: boolean;
}

export function slurmContract(name: string, { worldFor, release, isShort = false }: Telling): void {
  const told = stories.filter((one) => one.releases.includes(release) && !(one.isLong && isShort));
  const tell = (story: Story) => async () => story.tell(await worldFor(story.cluster));
  describe(`${name} keeps the contract of Slurm`, () => {
    describe.concurrent("beside each other", () => {
      for (const story of told.filter(({ isAlone }) => !isAlone)) test(nameOf(story), tell(story));
    });
    describe("alone", () => {
      for (const story of told.filter(({ isAlone }) => isAlone)) test(nameOf(story), tell(story));
    });
  });
}

/** Every row of slurm.md is told, or exempt with its reason. */
export function everyRowIsTold(): void {
  test("every row of slurm.md has a story or an exemption", () => expect(untold(stories)).toEqual([]));
}
