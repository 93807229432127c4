/**
 * Goal    the server learns how old a look can be, whatever this host's clock says and however long the report was under way.
 * Method  a server that notes what it is told; both clocks of the host are moved by hand.
 */
import { expect, test } from "vitest";
import type { Moment } from "@reprise/runtime/clock.ts";
import { dated, type Heard } from "./look-age.ts";
import type { PassReport } from "./server.ts";

const report = { takenAt: 0 } as PassReport;

/** Seconds by the clock that can be set, and by the other one. */
const moment = (at: number, after: number): Moment => ({ at: at * 1_000, after: after * 1_000 + 0.5 });

function world() {
  const told: (number | undefined)[] = [];
  let [now, heardAt]: [Moment, number | undefined] = [moment(0, 0), undefined];
  const state: { heard: Heard | undefined; lookAsked: Moment } = { heard: undefined, lookAsked: now };
  const server = {
    reportPass: ({ takenAfter }: PassReport) => {
      told.push(takenAfter);
      return Promise.resolve({
        confirmedStepKeys: [],
        isTaken: true,
        ...(heardAt === undefined ? {} : { heardAt }),
      });
    },
  };
  const clock = { now: () => now.at, elapsed: () => now.after };
  return {
    told,
    look(at: Moment) {
      state.lookAsked = at;
      return dated(server, state, clock);
    },
    /** When the server hears it, by its own clock; when the answer is here. */
    answers(at: number | undefined, here: Moment) {
      [heardAt, now] = [at, here];
    },
  };
}

test("a look counts from the last answer before it and what has elapsed since, in every report of it", async () => {
  const { told, look, answers } = world();
  answers(900_000, moment(1, 1));
  await look(moment(0, 0)).reportPass(report);
  // This host's clock is set back meanwhile; the second report of the look comes minutes later.
  const reports = look(moment(-299, 6));
  answers(905_000, moment(-298, 7));
  await reports.reportPass(report);
  answers(1_205_000, moment(2, 307));
  await reports.reportPass(report);
  await look(moment(3, 308)).reportPass(report);
  expect(told).toEqual([undefined, 905_000, 905_000, 1_206_000]);
});

test("a server that does not say when it heard us is told nothing that nobody knows", async () => {
  const { told, look, answers } = world();
  answers(undefined, moment(1, 1));
  await look(moment(0, 0)).reportPass(report);
  await look(moment(5, 5)).reportPass(report);
  expect(told).toEqual([undefined, undefined]);
});
