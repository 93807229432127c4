/**
 * door: the way from a caller to slurmctld, and all that can go wrong on it.
 *
 * Takes    a request as something to do there, and how long the caller waits, by his own clock.
 * Gives    the answer; or how the program ended without one. A request that slurmctld took is done whether or not anybody still waits.
 * Source   slurm.md §6: down is rc 1 after 9 s; paused is rc 1 after 10 s (MessageTimeout), and what was asked is done at the end of it.
 */
import type { Clock } from "@reprise/runtime/clock.ts";
import type { Ran } from "@reprise/sac/slurm/command/run.ts";
import type { Answered, Troubles } from "./sim-slurm.ts";

export interface Door {
  /**
   * @param limitMs  The caller kills the program then.
   * @param failed   What the program prints when slurmctld was not reached, or did not answer.
   */
  ask(request: Request, limitMs: number, clock: Clock): Promise<Ran>;
  readonly state: "up" | "down" | "paused";
  turn(state: "up" | "down" | "paused"): void;
  readonly troubles: Pick<Troubles, "slow" | "loseNextAnswer">;
  clear(): void;
}

export interface Request {
  readonly changes: boolean;
  readonly act: () => Answered;
  readonly failed: (how: "down" | "paused") => Answered;
}

const downAfterMs = 9_000;
const messageTimeoutMs = 10_000;

export function createDoor(): Door {
  let state: Door["state"] = "up";
  let answerMs = 0;
  let lose: "applied" | "not-applied" | undefined;
  let waiting: { readonly act: () => Answered; readonly answer: (answered: Answered) => void }[] = [];

  const late = async (ran: Ran, afterMs: number, limitMs: number, clock: Clock): Promise<Ran> => {
    if (afterMs > 0) await clock.sleep(Math.min(afterMs, limitMs));
    return afterMs > limitMs ? { stdout: "", stderr: "", timedOut: true } : ran;
  };
  const toRan = (answered: Answered): Ran => ({ ...answered, timedOut: false });

  return {
    get state() {
      return state;
    },
    async ask(request, limitMs, clock) {
      const lost = request.changes ? lose : undefined;
      if (request.changes) lose = undefined;
      if (lost !== undefined) {
        if (lost === "applied" && state === "up") request.act();
        return late({ stdout: "", stderr: "", timedOut: false }, answerMs, limitMs, clock);
      }
      if (state === "down") return late(toRan(request.failed("down")), downAfterMs, limitMs, clock);
      if (state === "up") return late(toRan(request.act()), answerMs, limitMs, clock);
      const answer = Promise.withResolvers<Answered>();
      const given = new AbortController();
      waiting.push({ act: request.act, answer: answer.resolve });
      const patience = clock.sleep(Math.min(messageTimeoutMs, limitMs), given.signal);
      const answered = await Promise.race([answer.promise, patience]);
      given.abort();
      if (answered !== undefined) return toRan(answered);
      return limitMs < messageTimeoutMs ? { stdout: "", stderr: "", timedOut: true } : toRan(request.failed("paused"));
    },
    turn(next) {
      const taken = waiting;
      state = next;
      if (next === "paused") return;
      waiting = [];
      for (const { act, answer } of taken) {
        if (next === "up") answer(act());
      }
    },
    troubles: {
      slow: (ms) => void (answerMs = ms),
      loseNextAnswer: (how) => void (lose = how),
    },
    clear: () => void ([answerMs, lose] = [0, undefined]),
  };
}
