/**
 * Goal    leaving out what has not changed tells the server the same as looking at everything.
 * Method  random listings, one after the other, some of them the very same object as the one before; published once as they are, and
 *         once as copies in which nothing is the same object: every report must be equal. Some reports do not arrive.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SlurmJob } from "@reprise/core/nouns.ts";
import type { PassReport, Server } from "../server.ts";
import { blank } from "../testing/one-job-world.ts";
import type { Pass } from "../slurm/slurm.ts";
import { forgetPublished, nothingPublished, publish } from "./observe-once.ts";

const force = { mode: "act", partitions: ["gpu"] } as const;
const said = { allowed: force, ordersGeneration: 0, openHolds: 0, brakes: [] };
const context = {
  cluster: "default",
  leaseTerm: 1,
  force,
  sac: said,
  partitions: force.partitions,
  slurmReleases: [],
  steps: [],
};

const row = fc.record({
  jobId: fc.constantFrom("1", "2", "3_0", "4"),
  state: fc.constantFrom("PENDING", "RUNNING", "COMPLETING", "FAILED", "COMPLETED"),
  restartCount: fc.nat(2),
  submitAt: fc.constantFrom(1_000, 2_000),
  partition: fc.constantFrom("gpu", "private"),
  comment: fc.constantFrom("", '{"recovery": {"auto_resume_mode": "requeue"}}'),
});

/** `again`: Slurm lists what it listed before. */
const look = fc.record({
  again: fc.boolean(),
  rows: fc.uniqueArray(row, { selector: ({ jobId }) => jobId }),
  unreadable: fc.constantFrom([], [], ["2"], ["9"]),
  arrives: fc.boolean(),
});

type Row = Pick<SlurmJob, "jobId" | "state" | "submitAt"> & Partial<SlurmJob>;

const passOf = (rows: readonly Row[], unreadable: readonly string[]): Pass => ({
  cluster: "default",
  jobs: new Map(
    rows
      .filter(({ jobId }) => !unreadable.includes(jobId))
      .map((given) => [given.jobId, { ...blank, ...given, recordId: given.jobId }]),
  ),
  unreadable: new Map(unreadable.map((jobId) => [jobId, "State is ?"])),
  nodes: new Map(),
});

/** A SAC that keeps what it is told to keep, and what the server was told by it. */
function sac() {
  const told: PassReport[] = [];
  const published = nothingPublished();
  return {
    told,
    async look(value: Pass, at: number, arrives: boolean) {
      const server = {
        reportPass: (report: PassReport) => {
          told.push(report);
          return arrives ? Promise.resolve({ confirmedStepKeys: [] }) : Promise.reject(new Error("lost"));
        },
      } as Pick<Server, "reportPass"> as Server;
      await publish({ kind: "seen", value, at }, published, context, server).catch(() => forgetPublished(published));
    },
  };
}

test("what the server is told does not depend on which rows, or listings, are the same objects", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(look, { maxLength: 12 }), async (looks) => {
      const [quick, slow] = [sac(), sac()];
      let pass = passOf([], []);
      for (const [i, { again, rows, unreadable, arrives }] of looks.entries()) {
        // A row may become unreadable, or readable, beside rows that stay as they are.
        pass = again
          ? { ...pass, unreadable: new Map(unreadable.map((id) => [`${id}0`, "cut"])) }
          : passOf(rows, unreadable);
        await quick.look(pass, i, arrives);
        await slow.look(structuredClone(pass), i, arrives);
      }
      expect(quick.told).toEqual(slow.told);
    }),
  );
});

test("of the same listing no row is looked at", async () => {
  const { told, look } = sac();
  const pass = passOf([{ jobId: "1", state: "RUNNING", submitAt: 1_000 }], []);
  for (const at of [0, 1]) await look(pass, at, true); // What was remembered before the first look is not yet settled.
  const unread = {
    ...pass,
    jobs: Object.assign(pass.jobs, { values: () => expect.unreachable("a row was looked at") }),
  };
  await look(unread, 2, true);
  expect(told.at(-1)).toEqual({ ...told[1], takenAt: 2 });
});
