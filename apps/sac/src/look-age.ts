/**
 * look-age: tells the server how old a look at Slurm can be, by the server's own clock.
 *
 * In the loop   look → **dated** → report
 * Keeps         no two hosts' clocks are compared: each answer says when the server heard us, and a look that is begun afterwards was
 *               begun after that, however long its report is under way or how often it is sent.
 * Source        docs/decisions/0048
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { type Clock, type Moment, momentOf } from "@reprise/runtime/clock.ts";
import type { Server } from "./server.ts";
import type { State } from "./state.ts";

/** An answer of the server: when it heard us, by its clock; when the answer was here. */
export interface Heard {
  readonly at: Instant;
  readonly answered: Moment;
}

/** Of one pass: every report of it has the same look. */
export function dated(
  server: Pick<Server, "reportPass">,
  state: Pick<State, "heard" | "lookAsked">,
  clock: Pick<Clock, "now" | "elapsed">,
): Pick<Server, "reportPass"> {
  const takenAfter = takenAfterOf(state);
  return {
    async reportPass(report) {
      const answer = await server.reportPass(takenAfter === undefined ? report : { ...report, takenAfter });
      if (answer.heardAt !== undefined) state.heard = { at: answer.heardAt, answered: momentOf(clock) };
      return answer;
    },
  };
}

/** By the clock that nobody sets. In a sleep of the machine it may stand still: then the look seems older than it is, once. */
function takenAfterOf({ heard, lookAsked }: Pick<State, "heard" | "lookAsked">): Instant | undefined {
  return heard === undefined ? undefined : heard.at + Math.floor(lookAsked.after - heard.answered.after);
}
