/**
 * Goal    how an attempt went is kept for people, within its bounds, whoever reports it and however often; and nobody decides again for it.
 */
import { expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import { course, hour, noon, report, s, settleDecisions, undecided, type Open } from "../testing/world.ts";

const point = (n: number) => ({ at: noon + n * s, step: n });
const context = (key: string) => ({ key, before: ["before"], after: ["<script>", "after"] });

export function courseContract(open: Open): void {
  test("what comes is put behind what is known, and the same report twice is one", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const { heimdallJobId } = job;
    const first = course(job, { points: [point(1), point(2)], checkpoints: [point(2)], contexts: [context("a")] });
    expect(await store.recordCourses([first])).toBe(1);
    const second = course(
      { heimdallJobId: heimdallJobId.toUpperCase() },
      {
        points: [point(2), point(3)],
        speedChanges: [{ kind: "lost", ...point(3) }],
        baselineStepMs: 1_000.5,
        contexts: [{ key: "a", before: [], after: [] }, context("b")],
      },
    );
    for (const one of [store, replica]) expect(await one.recordCourses([second])).toBe(1);
    const known = {
      points: [point(1), point(2), point(3)],
      checkpoints: [point(2)],
      speedChanges: [{ kind: "lost", ...point(3) }],
      baselineStepMs: 1_000.5,
      contexts: [context("a"), context("b")],
    };
    expect(await replica.coursesOf([heimdallJobId])).toEqual(new Map([[heimdallJobId, known]]));
    expect(await store.contextsOf([heimdallJobId, "nobody"])).toEqual(new Map([[heimdallJobId, known.contexts]]));
  });

  test("reports that come at once are all taken in, and nobody waits for another for ever", async () => {
    const { store, replica } = await open();
    const jobs = [await store.upsertJob(report("1"), noon), await store.upsertJob(report("2"), noon)];
    await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (i % 2 ? store : replica).recordCourses(
          (i % 2 ? jobs : jobs.toReversed()).map((job) => course(job, { contexts: [context(`${i % 4}`)] })),
        ),
      ),
    );
    for (const { heimdallJobId } of jobs)
      expect((await store.contextsOf([heimdallJobId])).get(heimdallJobId)).toHaveLength(limits.courseContextsMax);
  });

  test("an attempt that nobody knows is passed over, and the others are not", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const unknown = { heimdallJobId: "00000000-0000-5000-8000-000000000000" };
    expect(
      await store.recordCourses([course(unknown, { points: [point(1)] }), course(job, { points: [point(1)] })]),
    ).toBe(1);
    expect(await store.recordCourses([])).toBe(0);
    expect((await store.coursesOf([unknown.heimdallJobId, job.heimdallJobId])).size).toBe(1);
    expect((await store.coursesOf([])).size).toBe(0);
  });

  test("a text that no database keeps stops nothing", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await store.recordCourses([course(job, { contexts: [{ key: "a", before: ["nul \0"], after: ["half \ud800"] }] })]);
    const [kept] = (await store.contextsOf([job.heimdallJobId])).get(job.heimdallJobId) ?? [];
    expect(kept).toEqual({ key: "a", before: ["nul \ufffd"], after: ["half \ufffd"] });
  });

  test("nobody decides again for it", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await settleDecisions(store, noon);
    await store.recordCourses([course(job, { points: [point(1)], contexts: [context("a")] })]);
    expect(await undecided(store, noon + hour)).toEqual([]);
  });

  test("it goes with the details of its attempt", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, { status: "COMPLETED", jmState: "COMPLETED" }), noon);
    await store.recordCourses([course(job, { points: [point(1)] })]);
    await settleDecisions(store, noon);
    await store.expire({ detailsBefore: noon + hour, limit: 10 });
    expect((await store.coursesOf([job.heimdallJobId])).size).toBe(0);
  });
}
