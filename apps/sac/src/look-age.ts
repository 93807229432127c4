/**
 * look-age: tells the server which of two looks at Slurm is the later one, and how old a look can be, by the server's own clock.
 *
 * In the loop   look → **dated** → report
 * Keeps         looks are told in the order in which they were made, whatever is done to this host's clock: none is dated before the one that
 *               was told before it, also by the SAC before. Where the clock was set back they are dated a millisecond apart, until it has caught up.
 * Keeps         no two hosts' clocks are compared: each answer says when the server heard us, and a look that is begun afterwards was
 *               begun after that, however long its report is under way or how often it is sent.
 *               What the server dates by its own clock is told by ours (`byOurClock`).
 * Source        docs/decisions/0048
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Work } from "@reprise/core/plan/work.ts";
import { type Clock, type Moment, momentOf } from "@reprise/runtime/clock.ts";
import type { Server } from "./server.ts";
import type { State } from "./state.ts";

/** An answer of the server: when it heard us, by its clock; when the answer was here. */
export interface Heard {
  readonly at: Instant;
  readonly answered: Moment;
}

/**
 * Of one pass: every report of it has the same look.
 *
 * @param lookedAt When it was begun, by this host's clock.
 */
export function dated(
  server: Pick<Server, "reportPass">,
  state: Pick<State, "heard" | "lookAsked" | "toldAt">,
  clock: Pick<Clock, "now" | "elapsed">,
  lookedAt: Instant,
): Pick<Server, "reportPass"> {
  const takenAfter = takenAfterOf(state);
  const takenAt = lookedAt >= state.toldAt ? lookedAt : state.toldAt + 1;
  state.toldAt = takenAt;
  return {
    async reportPass(report) {
      const after = takenAfter === undefined ? {} : { takenAfter };
      const answer = await server.reportPass({ ...report, takenAt, ...after });
      if (answer.heardAt !== undefined) state.heard = { at: answer.heardAt, answered: momentOf(clock) };
      return answer;
    },
  };
}

/**
 * The server says by its own clock when Advice and exclusions expire; what carries them out asks this host's. So they are told as this host's clock
 * has it now, however far the two are apart: later by the way of one answer at most.
 */
export function byOurClock(
  work: readonly Work[],
  { heard }: Pick<State, "heard">,
  clock: Pick<Clock, "now" | "elapsed">,
): readonly Work[] {
  if (heard === undefined) return work;
  const aheadMs = Math.ceil(clock.now() - (heard.at + (clock.elapsed() - heard.answered.after)));
  const ours = <T extends { readonly expiresAt: Instant }>(one: T): T => ({
    ...one,
    expiresAt: one.expiresAt + aheadMs,
  });
  return work.map((one) => ({ ...ours(one), exclusions: one.exclusions.map(ours) }));
}

/** A pass may take so long, from when the server is told of it until that is written down. */
const untoldMs = 120_000;

/**
 * What the first look of a process comes after. Where the clock was set back while nobody looked, the last one may have been told, and not be
 * written down.
 *
 * @param toldAt As the process before has left it.
 */
export const firstTold = (toldAt: Instant | undefined, now: Instant): Instant =>
  toldAt === undefined || toldAt < now ? (toldAt ?? 0) : toldAt + untoldMs;

/** By the clock that nobody sets. In a sleep of the machine it may stand still: then the look seems older than it is, once. */
function takenAfterOf({ heard, lookAsked }: Pick<State, "heard" | "lookAsked">): Instant | undefined {
  return heard === undefined ? undefined : heard.at + Math.floor(lookAsked.after - heard.answered.after);
}
