/**
 * Goal    a walk over attempts, over everything or over some workflows or job IDs, with any page size, sees each attempt that was
 *         there at its start and stays once, and none twice, whatever is written between its pages.
 * Method  random walks, by computed offsets or by those that are given; between two pages attempts are created, end, change their
 *         workflow and back, get their job ID, and go for their age.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import type { JobFilter, JobReport, Page, Store } from "../../store.ts";
import { failed, noon, report, s, settleDecisions, type Open } from "../testing/world.ts";

const workflowId = fc.constantFrom("a", "b", "c");
const which = fc.nat(11);
const write = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("create" as const), workflowId, isNamed: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("move" as const), workflowId, which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("name" as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("end" as const), which }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("expire" as const), which }) },
);
type Write = typeof write extends fc.Arbitrary<infer One> ? One : never;

const filter = fc.constantFrom<JobFilter>(
  {},
  { workflowIds: ["a"] },
  { workflowIds: ["a", "b"] },
  { jobIds: ["1"] },
  { jobIds: ["1", "2"] },
  { workflowIds: ["a"], jobIds: ["1", "2"] },
);

const walks = fc.record({
  filter,
  limit: fc.integer({ min: 1, max: 4 }),
  isComputed: fc.boolean(),
  before: fc.array(write, { minLength: 3, maxLength: 12 }),
  rounds: fc.array(fc.array(write, { maxLength: 3 }), { minLength: 2, maxLength: 12 }),
});

/** What is known of each attempt, by UUID; it grows with every write. */
type Known = Map<string, JobReport>;

async function make(store: Store, known: Known, one: Write): Promise<void> {
  if (one.kind === "create") {
    const heimdallJobId = attemptUuid({ jobId: `hidden-${known.size}`, attemptIndex: 0 });
    return await save(store, known, heimdallJobId, {
      workflowId: one.workflowId,
      ...(one.isNamed ? nameOf(known) : {}),
    });
  }
  if (one.kind === "expire") return await expire(store, known, one.which);
  const [uuid, before] = [...known][one.which] ?? [];
  if (uuid === undefined || before === undefined || (await store.getJobByUuid(uuid)) === undefined) return;
  if (one.kind === "move") return await save(store, known, uuid, { ...before, workflowId: one.workflowId });
  if (one.kind === "end") return await save(store, known, uuid, { ...before, ...failed });
  if (before.jobId === undefined) await save(store, known, uuid, { ...before, ...nameOf(known) });
}

/** One job ends, and is too old at once. */
async function expire(store: Store, known: Known, which: number): Promise<void> {
  const [uuid, job] = [...known][which % Math.max(known.size, 1)] ?? [];
  for (const [other, kin] of known) {
    const isOfIt = other === uuid || (kin.jobId !== undefined && kin.jobId === job?.jobId);
    if (isOfIt && (await store.getJobByUuid(other)) !== undefined)
      await save(store, known, other, { ...kin, ...failed });
  }
  await settleDecisions(store, noon);
  await store.expire({ attemptsBefore: noon + 1000 * s, limit: 2 });
}

/** Job IDs 1, 2 and 3 in turn, each with attempts of its own. */
const nameOf = (known: Known) => {
  const named = [...known.values()].filter(({ jobId }) => jobId !== undefined).length;
  return { jobId: `${(named % 3) + 1}`, attemptIndex: Math.floor(named / 3) };
};

async function save(store: Store, known: Known, heimdallJobId: string, change: Partial<JobReport>): Promise<void> {
  const { jobId: _, ...nameless } = report("unused");
  const next: JobReport = { ...nameless, heimdallJobId, ...change };
  await store.upsertJob(next, noon + known.size * s);
  known.set(heimdallJobId, next);
}

const isIn = ({ workflowIds, jobIds }: JobFilter, job: JobReport): boolean =>
  (workflowIds === undefined || workflowIds.includes(job.workflowId)) &&
  (jobIds === undefined || (job.jobId !== undefined && jobIds.includes(job.jobId)));

export function walkContract(open: Open, numRuns: number): void {
  test("whatever is written between its pages, a walk skips nothing that stays and repeats nothing", async () => {
    await fc.assert(
      fc.asyncProperty(walks, async ({ filter: asked, limit, isComputed, before, rounds }) => {
        const { store, replica } = await open();
        const known: Known = new Map();
        for (const one of before) await make(store, known, one);
        const staying = new Set([...known].filter(([, job]) => isIn(asked, job)).map(([uuid]) => uuid));
        const forgetGone = async () => {
          for (const uuid of staying) if ((await store.getJobByUuid(uuid)) === undefined) staying.delete(uuid);
        };
        await forgetGone();

        const seen: string[] = [];
        let page: Page<{ readonly heimdallJobId: string }> = { rows: [], hasMore: true };
        let offset = 0;
        for (let round = 0; page.hasMore; round++) {
          page = await replica.listJobs(asked, { offset, limit });
          offset = (isComputed ? undefined : page.nextOffset) ?? offset + limit;
          seen.push(...page.rows.map((row) => row.heimdallJobId));
          for (const one of rounds[round] ?? []) await make(store, known, one);
          for (const [uuid, job] of known) if (!isIn(asked, job)) staying.delete(uuid);
          await forgetGone();
        }
        expect(new Set(seen).size, "repeated").toBe(seen.length);
        expect(
          [...staying].filter((uuid) => !seen.includes(uuid)),
          "skipped",
        ).toEqual([]);
      }),
      { numRuns },
    );
  }, 60_000);
}
