/**
 * timetable: what happens next, and when.
 *
 * Takes   the true time, read only when somebody asks something of Slurm.
 * Keeps   things happen in the order of their times, those of one time in the order in which they were arranged. What slurmctld does
 *         waits while it is down or paused, and is done at once, in order, when it goes on; what happens on the nodes does not wait.
 * Bound   `eventsMax` things in one `advance`: more is a loop in the model, and a bug.
 */
import type { Instant } from "@reprise/core/nouns.ts";

/** `report`: what a node tells slurmctld; it is told again until it is heard. */
export type Whose = "site" | "controller" | "report";

export interface Timetable {
  /** While something is being done: its time. Else the true time, or a later one that was advanced to. */
  now(): Instant;
  /** In the past is now. Gives a function that takes it off. */
  at(when: Instant, whose: Whose, act: () => void): () => void;
  advance(to: Instant): void;
  nextAt(): Instant | undefined;
  /** Whether slurmctld works. */
  setControllerWorks(works: boolean): void;
  /** A crash: what slurmctld had in mind is gone; what it does from its state it finds again. */
  forgetController(): void;
}

interface Entry {
  readonly at: Instant;
  readonly seq: number;
  readonly whose: Whose;
  act: (() => void) | undefined;
}

const eventsMax = 1_000_000;

export function createTimetable(clock: { now(): Instant }): Timetable {
  const entries: Entry[] = []; // Sorted, the next one last.
  let waiting: Entry[] = [];
  let seq = 0;
  let at: Instant | undefined; // While something is being done.
  let reached: Instant = -Infinity;
  let works = true;

  const now = () => at ?? Math.max(clock.now(), reached);
  const insert = (entry: Entry) => {
    let [low, high] = [0, entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = entries[middle];
      if (other !== undefined && (other.at > entry.at || (other.at === entry.at && other.seq > entry.seq)))
        low = middle + 1;
      else high = middle;
    }
    entries.splice(low, 0, entry);
  };
  const doNext = (entry: Entry) => {
    if (entry.act === undefined) return;
    if (entry.whose !== "site" && !works) {
      waiting.push(entry);
      return;
    }
    at = entry.at;
    try {
      entry.act();
    } finally {
      at = undefined;
    }
  };
  return {
    now,
    at(when, whose, act) {
      const entry: Entry = { at: Math.max(when, now()), seq: seq++, whose, act };
      insert(entry);
      return () => {
        entry.act = undefined;
      };
    },
    advance(to) {
      if (at !== undefined) return; // Somebody was told of an event and asks at once: he sees what is so now.
      for (let count = 0; ; count++) {
        if (count > eventsMax) throw new Error(`more than ${eventsMax} events up to ${to}: the model loops`);
        const next = entries.at(-1);
        if (next === undefined || next.at > to) break;
        entries.pop();
        reached = Math.max(reached, next.at);
        doNext(next);
      }
      reached = Math.max(reached, to);
    },
    nextAt() {
      while (entries.length > 0 && entries.at(-1)?.act === undefined) entries.pop();
      return entries.at(-1)?.at;
    },
    setControllerWorks(next) {
      works = next;
      if (!works) return;
      const late = waiting;
      waiting = [];
      for (const { act, whose } of late) if (act !== undefined) insert({ at: now(), seq: seq++, whose, act });
    },
    forgetController() {
      waiting = waiting.filter(({ whose }) => whose === "report");
      for (let i = entries.length - 1; i >= 0; i--) if (entries[i]?.whose === "controller") entries.splice(i, 1);
    },
  };
}
