/**
 * Goal    a watcher whose clock is ahead does not keep out what comes until then, and what is drawn ends where the attempt does.
 * Method  the routes over the store in memory, with a clock that the test sets.
 */
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { courseToWire } from "@reprise/protocol/wire/course.ts";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import { course, crash, noon, report, s, signals } from "../store/testing/world.ts";
import { courseRoute, reportCoursesRoute } from "./course.ts";

async function routes() {
  const [store, clock] = [createMemoryStore(), new FakeClock(noon)];
  const job = await store.upsertJob(report("1"), noon);
  const caller = { name: "w", signal: new AbortController().signal };
  const manager = { store, clock, site: { cluster: "default" } } as never;
  const tell = (points: readonly { readonly at: number; readonly step: number }[]) =>
    reportCoursesRoute(manager).reportCourses(
      { reporter: "w", courses: [courseToWire(course(job, { points }))] } as never,
      caller,
    );
  const ask = async () => {
    const { attempts = [] } = await courseRoute(manager).course({ jobId: "1", cluster: "" } as never, caller);
    return attempts[0] as unknown as {
      readonly points: readonly { readonly at: never; readonly step: bigint; readonly stepMs?: number }[];
      readonly windows: readonly { readonly kind: string; readonly to?: never }[];
    };
  };
  return { store, clock, job, tell, ask };
}

test("a point of a clock that is ahead is dated now, and the next is taken in as ever", async () => {
  const { tell, ask, clock } = await routes();
  await tell([{ at: noon + 3_600 * s, step: 5 }]);
  await clock.advance(10 * s);
  await tell([{ at: noon + 10 * s, step: 7 }]);
  const { points } = await ask();
  expect(points.map(({ at, step, stepMs }) => [timestampMs(at) - noon, step, stepMs])).toEqual([
    [0, 5n, undefined],
    [10 * s, 7n, 5 * s],
  ]);
});

test("a silence that nothing has ended lasts, and ends with its attempt", async () => {
  const { store, job, ask } = await routes();
  await store.recordSignals(signals(crash(job, { kind: "hang", at: noon + s, detail: "silent" })), noon + s);
  expect((await ask()).windows).toMatchObject([{ kind: "hang", says: "silent" }]);
  expect((await ask()).windows[0]?.to).toBeUndefined();
  await store.upsertJob(report("1", 0, { status: "FAILED", jmState: "FAILED" }), noon + 9 * s);
  expect(timestampMs((await ask()).windows[0]?.to as never) - noon).toBe(9 * s);
});
