/** story: one thing that Slurm does, told in a world; true of the simulated and of the real one. */
import type { World } from "../contract-world.ts";
import type { Row } from "./rows.ts";

/** The releases that were measured: slurm.md, slurm-new.md. */
export const releases = ["22.05", "25.11", "26.05"] as const;
export type Release = (typeof releases)[number];

export interface Story {
  /** The rows of slurm.md that it tells. */
  readonly rows: readonly Row[];
  readonly title: string;
  readonly tell: (world: World) => Promise<void>;
  /** It stops the controller, or loses an answer: nobody else may be there. */
  readonly isAlone: boolean;
  /** Over a minute on the real Slurm: not part of every test run. */
  readonly isLong: boolean;
  /**
   * `forgetful`: MinJobAge is 5 s, and a failed prolog does not hold the job. `expediting`: its `requeue_delay` is 0, and jobs may
   * ask for an expedited requeue. `accounted`: slurmdbd knows an Operator.
   */
  readonly cluster: "ordinary" | "forgetful" | "expediting" | "accounted";
  /** Which do so. */
  readonly releases: readonly Release[];
}

export function story(rows: readonly Row[], title: string, tell: Story["tell"]): Story {
  return { rows, title, tell, isAlone: false, isLong: false, cluster: "ordinary", releases };
}

export function storyAlone(rows: readonly Row[], title: string, tell: Story["tell"]): Story {
  return { ...story(rows, title, tell), isAlone: true };
}

export function longStory(rows: readonly Row[], title: string, tell: Story["tell"]): Story {
  return { ...story(rows, title, tell), isLong: true };
}

export function storyOfForgetful(rows: readonly Row[], title: string, tell: Story["tell"]): Story {
  return { ...story(rows, title, tell), cluster: "forgetful" };
}

export function storyOfExpediting(rows: readonly Row[], title: string, tell: Story["tell"]): Story {
  return { ...story(rows, title, tell), cluster: "expediting" };
}

/** What only these releases do. */
export const onlyIn = (only: readonly Release[], told: Story): Story => ({ ...told, releases: only });

export function storyOfAccounted(rows: readonly Row[], title: string, tell: Story["tell"]): Story {
  return { ...story(rows, title, tell), cluster: "accounted" };
}

/** `§2.1 §2.8 of a failed job: pending, held, counted`. */
export function nameOf({ rows, title }: Story): string {
  const paragraphs = [...new Set(rows.map((row) => `§${row.split(" ")[0] ?? ""}`))];
  return [...paragraphs, title].join(" ");
}
