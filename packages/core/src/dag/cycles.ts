/**
 * cycles: jobs that wait for themselves, over others, with the way round.
 *
 * In the loop   part of the gates
 * Takes         numbered jobs that all still wait, and for which of them each waits.
 * Gives         for each job on a cycle one such way round, and where on it the job stands.
 * Pure, total
 * Bound         linear where there is no cycle: whoever waits for nobody, or is waited for by nobody, is taken away until nobody is.
 */

export interface Cycle {
  /** Each waits for the next one, and the last one for the first. */
  readonly way: readonly number[];
  /** Index in it of the job that is asked about. */
  readonly at: number;
}

export function cyclesOf(parents: readonly (readonly number[])[]): ReadonlyMap<number, Cycle> {
  const children = turned(parents);
  const left = peeled(peeled(new Set(parents.keys()), parents, children), children, parents);
  const found = new Map<number, Cycle>();
  for (const start of left) {
    if (found.has(start)) continue;
    const way = wayRound(start, parents, left);
    way?.forEach((job, at) => {
      if (!found.has(job)) found.set(job, { way, at });
    });
  }
  return found;
}

/** Without those from whom no edge leads on to one that is left. @param back The edges the other way round. */
function peeled(
  left: Set<number>,
  edges: readonly (readonly number[])[],
  back: readonly (readonly number[])[],
): Set<number> {
  const open = edges.map((to) => to.filter((job) => left.has(job)).length);
  const bare = [...left].filter((job) => open[job] === 0);
  for (let job = bare.pop(); job !== undefined; job = bare.pop()) {
    left.delete(job);
    for (const from of back[job] ?? []) {
      const rest = (open[from] ?? 0) - 1;
      open[from] = rest;
      if (rest === 0 && left.has(from)) bare.push(from);
    }
  }
  return left;
}

function turned(edges: readonly (readonly number[])[]): number[][] {
  const back: number[][] = edges.map(() => []);
  edges.forEach((to, from) => {
    for (const job of to) back[job]?.push(from);
  });
  return back;
}

/** The shortest way from `start` back to it, without its last step. Undefined: it only lies between cycles. */
function wayRound(
  start: number,
  edges: readonly (readonly number[])[],
  left: ReadonlySet<number>,
): readonly number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const job of queue) {
    for (const next of edges[job] ?? []) {
      if (next === start) return [start, ...wayTo(job, start, cameFrom)];
      if (!left.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, job);
      queue.push(next);
    }
  }
  return undefined;
}

function wayTo(job: number, start: number, cameFrom: ReadonlyMap<number, number>): readonly number[] {
  const way: number[] = [];
  for (let at = job; at !== start; at = cameFrom.get(at) ?? start) way.push(at);
  return way.toReversed();
}
