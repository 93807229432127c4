/** rights: who may do what. Source: slurm.md §2.7, and seen as root, owner and stranger on 22.05.8. */
import type { JobRecord } from "./record.ts";
import type { SimSettings } from "./sim-slurm.ts";

export interface Person {
  readonly user: string;
  /** root or SlurmUser. */
  readonly isRoot: boolean;
  readonly isOperator: boolean;
}

export function personOf(settings: SimSettings, user: string): Person {
  const isRoot = user === "root";
  return { user, isRoot, isOperator: isRoot || settings.operators.includes(user) };
}

export const maySteer = (person: Person, job: JobRecord) => person.isOperator || person.user === job.user;
