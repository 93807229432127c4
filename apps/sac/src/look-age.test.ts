/**
 * Goal    the server learns how old a look can be, whatever this host's clock says and however long the report was under way.
 * Method  a server that notes what it is told; both clocks of the host are moved by hand.
 */
import { expect, test } from "vitest";
import { restartWork } from "@reprise/core/plan/plan.example.ts";
import type { Moment } from "@reprise/runtime/clock.ts";
import { byOurClock, dated, firstTold } from "./look-age.ts";
import type { PassReport } from "./server.ts";

const report = { mode: "act" } as PassReport;

/** Seconds by the clock that can be set, and by the other one. */
const moment = (at: number, after: number): Moment => ({ at: at * 1_000, after: after * 1_000 + 0.5 });

function world() {
  const told: (number | undefined)[] = [];
  const taken: number[] = [];
  let [now, heardAt]: [Moment, number | undefined] = [moment(0, 0), undefined];
  const state: Parameters<typeof dated>[1] = { heard: undefined, lookAsked: now, toldAt: 0 };
  const server = {
    reportPass: ({ takenAfter, takenAt }: PassReport) => {
      told.push(takenAfter);
      taken.push(takenAt);
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
    taken,
    look(at: Moment) {
      state.lookAsked = at;
      return dated(server, state, clock, at.at);
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

test("looks are told in the order in which they were made, also when this host's clock is set back", async () => {
  const { taken, look } = world();
  await look(moment(100, 1)).reportPass(report);
  const again = look(moment(-200, 2));
  await again.reportPass(report);
  await again.reportPass(report); // Another part of the same look.
  await look(moment(-199, 3)).reportPass(report);
  await look(moment(101, 303)).reportPass(report);
  expect(taken).toEqual([100_000, 100_001, 100_001, 100_002, 101_000]);
});

test("the next process goes on behind the last one, which may have told one look more than is written down", () => {
  expect(firstTold(undefined, 5_000)).toBe(0);
  expect(firstTold(4_000, 5_000)).toBe(4_000);
  expect(firstTold(400_000, 5_000)).toBe(520_000);
});

test("what expires by the server's clock expires then by ours, however far the two are apart and whatever is done to ours", () => {
  const [expiresAt, clock] = [900_000 + 60_000, { now: () => 5_000_000, elapsed: () => 12_000 }];
  const work = restartWork(0, { expiresAt, exclusions: [{ node: "n2", confidence: 1, expiresAt: expiresAt + 1_000 }] });
  // Heard at 900 s by its clock, ten seconds ago: it expires in 50 s.
  const heard = { at: 900_000, answered: { at: 4_000_000, after: 2_000 } };
  const [ours] = byOurClock([work], { heard }, clock);
  expect(ours).toEqual({
    ...work,
    expiresAt: 5_050_000,
    exclusions: [{ ...work.exclusions[0], expiresAt: 5_051_000 }],
  });
  expect(byOurClock([work], { heard: undefined }, clock)).toEqual([work]);
});
