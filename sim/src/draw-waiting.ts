/**
 * draw-waiting: jobs that Slurm itself makes wait for others (`--dependency`), chains of one name, and heterogeneous jobs.
 *
 * Takes   the jobs of a world, drawn; lots of its own, so that whatever else was drawn stays as it is.
 * Keeps   a dependency names jobs as `--job-name` does, and those that come earlier; the world knows their IDs when it submits.
 */
import type { Lots } from "./chance.ts";
import type { JobSpec } from "./spec.ts";
import type { SubmitSpec } from "./slurm/sim-slurm.ts";

const second = 1_000;

/** Of the jobs that may wait so many do. */
const waitingShare = 0.35;

/** Some wait for one or two earlier ones; some are of a chain of two or three, which runs one at a time. */
export function drawDependencies(of: Lots, jobs: readonly JobSpec[]): JobSpec[] {
  const drawn = [...jobs];
  const chained = new Set<number>();
  for (let n = of.int(0, 2); n > 0; n--) {
    const first = of.int(0, jobs.length - 1);
    const members = [first, first + 1, first + 2].slice(0, of.int(2, 3)).filter((i) => canBeOfChain(jobs[i]));
    if (members.length < 2 || members.some((i) => chained.has(i))) continue;
    for (const i of members) chained.add(i);
    chainOf(of, members, drawn);
  }
  const byTime = [...drawn.keys()].filter((i) => !chained.has(i)).sort((a, b) => drawn[a]!.afterMs - drawn[b]!.afterMs);
  for (const [n, i] of byTime.entries()) {
    if (n === 0 || !of.yes(waitingShare)) continue;
    const nameOf = () => drawn[byTime[of.int(0, n - 1)]!]!.submit.name;
    const kinds = ["afterok", "afterok", "afterok", "afternotok", "afterany", "after"];
    const parts = Array.from({ length: of.pick([1, 1, 2]) }, () => `${of.pick(kinds)}:${nameOf()}`);
    const submit = { ...drawn[i]!.submit, dependency: parts.join(","), killOnInvalidDep: of.yes(0.3) };
    drawn[i] = { ...drawn[i]!, submit };
  }
  return drawn;
}

const canBeOfChain = (job: JobSpec | undefined): boolean =>
  job !== undefined && job.submit.array === undefined && job.submit.batch !== false;

/** One user's, submitted together; in the mode for chains all but the first are held by their author. */
function chainOf(of: Lots, members: readonly number[], drawn: JobSpec[]): void {
  const [lead = 0] = members;
  const { user, partition } = drawn[lead]!.submit;
  const isOfMode = of.yes(0.6);
  for (const [n, i] of members.entries()) {
    const job = drawn[i]!;
    const comment = isOfMode
      ? job.submit.comment?.replace('"auto_resume_mode":"requeue"', '"auto_resume_mode":"singleton_dependency"')
      : job.submit.comment;
    const submit: SubmitSpec = {
      ...job.submit,
      name: `chain-${lead}`,
      dependency: "singleton",
      ...(user === undefined ? {} : { user }),
      ...(partition === undefined ? {} : { partition }),
      ...(comment === undefined ? {} : { comment }),
      ...(isOfMode && n > 0 ? { hold: true } : {}),
    };
    drawn[i] = { ...job, submit, afterMs: drawn[lead]!.afterMs + n * 10 * second };
  }
}

/** One or two more components of a few nodes. */
export function drawComponents(of: Lots, submit: SubmitSpec, nodeCount: number): SubmitSpec {
  const isSingle = submit.array !== undefined || submit.batch === false || submit.nodelist !== undefined;
  if (!of.yes(heterogeneousShare) || isSingle) return submit;
  const most = Math.max(1, Math.min(4, Math.floor(nodeCount / 8)));
  const components = Array.from({ length: of.pick([1, 1, 2]) }, () => ({ nodes: of.int(1, most) }));
  return { ...submit, hetComponents: components };
}

/** So many jobs have more than one component. */
const heterogeneousShare = 0.06;
