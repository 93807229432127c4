/**
 * Goal    what Reprise's parts did is told once and for ever, with the report that says so; what others send is stored once a key; and a
 *         walk over the trail, forward and back, sees each event once, whatever is written meanwhile.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AuditEvent, AuditFilter, StoredAuditEvent } from "../../audit/audit-trail.ts";
import type { StepRecord, Store } from "../../store.ts";
import {
  cluster,
  converged,
  crash,
  decided,
  failed,
  hour,
  none,
  noon,
  notCovered,
  pass,
  report,
  restart,
  s,
  signals,
  status,
  step,
  type Open,
} from "../testing/world.ts";

const event = (change: Partial<AuditEvent> = {}): AuditEvent => ({
  producer: "other",
  type: "thing.happened",
  level: "info",
  payload: { a: [1, null, "ü"] },
  producedAtUs: noon * 1000,
  ...change,
});

const trail = async (store: Store, filter: AuditFilter = {}): Promise<readonly StoredAuditEvent[]> =>
  (await store.listAuditEvents(filter, { order: "asc", limit: 1_000 })).rows.toSorted((a, b) => a.id - b.id);

/** As `<attempt> <type>`, in the order in which they were recorded. */
const told = async (store: Store, filter?: AuditFilter) =>
  (await trail(store, filter)).map(({ attemptIndex, type }) => `${attemptIndex ?? "-"} ${type}`);

const stepOf = (change: Partial<StepRecord> = {}): StepRecord => ({
  key: "j:1",
  heimdallJobId: "AAAAAAAA-0000-4000-8000-000000000000",
  jobId: "1",
  attemptIndex: 0,
  generation: 1,
  action: "requeue-hold",
  begunAt: noon,
  outcome: "",
  detail: "",
  ...change,
});

export function auditContract(open: Open): void {
  test("every change of a mind, and everything that Slurm took back, is told in the order in which it was recorded", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, { workflowId: "a" }), noon);
    await store.upsertJob(report("1"), noon);
    await decided(store, job, none());
    await decided(store, job, restart());
    await decided(store, job, restart());
    await decided(store, job, none({ withdraw: true }));
    await store.observeStatus(job.heimdallJobId, status(2, { message: "looking" }), noon);
    await store.observeStatus(job.heimdallJobId, status(2, converged), noon);
    await store.upsertJob(report("1", 0, failed), noon);
    await store.upsertJob(report("1"), noon);
    await store.upsertJob(report("1", 1), noon + hour);
    await store.upsertJob(report("1", 1, { submitAt: noon + 2 * hour }), noon + 2 * hour);
    await store.upsertJob(report("1", 0, { submitAt: noon + 9 * hour, coverage: notCovered }), noon + 9 * hour);
    expect(await told(store)).toEqual([
      "0 job.seen",
      "0 job.workflow-changed",
      "0 decision.made",
      "0 decision.made",
      "0 advice.recorded",
      "0 decision.made",
      "0 advice.withdrawn",
      "0 advice.converged",
      "0 job.rolled-back",
      "1 job.seen",
      "1 job.repeated",
      "0 job.seen",
      "0 job.not-covered",
      "0 job.new-incarnation",
    ]);
    const [seen] = await trail(store, { type: "job.seen" });
    expect(seen).toMatchObject({
      heimdallJobId: job.heimdallJobId,
      jobId: "1",
      attemptIndex: 0,
      producer: "job-manager",
      level: "info",
      payload: { workflowId: "a", state: "RUNNING", covered: true },
      producedAtUs: noon * 1000,
    });
  });

  test("a step is told when it is begun, and when it has ended, as its maker dates it; repeated reports tell nothing", async () => {
    const { store } = await open();
    const report = async (...steps: StepRecord[]) => void (await store.reportPass(pass(noon, { steps }), noon + hour));
    const ended = { endedAt: noon + s, outcome: "done" };
    const released = { action: "watchdog-release", begunAt: noon + 9 * s, endedAt: noon + 10 * s };
    for (let i = 0; i < 2; i++) {
      await report(stepOf());
      await report(stepOf(), stepOf(ended));
      await report(stepOf({ ...released, key: "w:1", outcome: "refused", detail: "not held" }));
      await report(stepOf({ ...released, key: "w:2", outcome: "done" }));
      await report(
        stepOf({ key: "gate:1", action: "refused-by-gate", outcome: "refused", detail: "cancel: observe mode" }),
      );
    }
    const rows = await trail(store, { jobId: "1" });
    expect(rows.map(({ producer, type, producedAtUs }) => `${producer} ${type} ${producedAtUs / 1000 - noon}`)).toEqual(
      [
        "sac step.begun 0",
        "sac step.ended 1000",
        "watchdog step.begun 9000",
        "watchdog step.ended 10000",
        "watchdog step.begun 9000",
        "watchdog watchdog.released 10000",
        "sac step.refused-by-gate 0",
      ],
    );
    expect(rows[1]).toMatchObject({
      heimdallJobId: stepOf().heimdallJobId.toLowerCase(),
      payload: { key: "j:1", action: "requeue-hold", generation: 1, outcome: "done", detail: "" },
    });
  });

  test("what the watcher read is told once; progress never", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const read = signals(crash(job), step(job, 5, noon), crash(job), crash(job, { key: "other", at: noon }));
    for (let i = 0; i < 2; i++) await store.recordSignals(read, noon + hour);
    const rows = await trail(store, { producer: "watcher" });
    expect(rows.map(({ type, jobId, producedAtUs }) => [type, jobId, producedAtUs / 1000 - noon])).toEqual([
      ["signal.recorded", "1", 60_000],
      ["signal.recorded", "1", 0],
    ]);
    expect(rows[0]?.payload).toMatchObject({ kind: "crash", cause: "cuda-ecc-uncorrectable", root: true, offset: 100 });
  });

  test("a Slurm that falls silent, and another mode, are told when they begin and when they end", async () => {
    const { store } = await open();
    const away = { unavailable: "no answer", complete: false };
    const changes = [
      {},
      {},
      away,
      away,
      {},
      { partitions: ["gpu"] },
      { mode: "act", partitions: ["gpu"] },
      { mode: "act" },
      { mode: "act", slurm: { version: "26.11.0", standing: "untried" } },
      { mode: "act" }, // A look that did not tell.
      { mode: "act", slurm: { version: "26.11.0", standing: "untried" } },
      { mode: "act", slurm: { version: "26.11.0", standing: "allowed" } },
    ];
    for (const [i, change] of changes.entries()) await store.reportPass(pass(noon + i * s, change), noon + i * s);
    const rows = await trail(store);
    expect(rows.map(({ type, producedAtUs }) => `${producedAtUs / 1e6 - noon / s} ${type}`)).toEqual([
      "0 sac.mode-changed",
      "2 slurm.unavailable",
      "4 slurm.available",
      "6 sac.mode-changed",
      "7 sac.mode-changed",
      "8 slurm.release-seen",
      "11 slurm.release-seen",
    ]);
    const allowed = { version: "26.11.0", standing: "allowed", versionBefore: "26.11.0", standingBefore: "untried" };
    expect(rows.at(-1)).toMatchObject({ payload: { cluster, ...allowed }, level: "warn" });
    expect(rows[1]).toMatchObject({ payload: { cluster, why: "no answer" }, level: "warn" });
  });

  test("what others send comes back as it was; a known idempotency key of the same producer is not stored again", async () => {
    const { store, replica } = await open();
    const given = event({ heimdallJobId: "aaaaaaaa-0000-4000-8000-000000000000", idempotencyKey: "k\0" });
    const all = [given, event(), event(), given, event({ producer: "another", idempotencyKey: "k\0" })];
    expect(await store.recordAuditEvents(all)).toEqual({ recorded: 4, repeated: 1 });
    expect(await replica.recordAuditEvents([given])).toEqual({ recorded: 0, repeated: 1 });
    const rows = await trail(store);
    expect(rows.map(({ id: _, ...row }) => row)).toEqual([
      { ...given, idempotencyKey: "k\uFFFD" },
      event(),
      event(),
      event({ producer: "another", idempotencyKey: "k\uFFFD" }),
    ]);
    for (const payload of [null, 0, "text", [], {}]) {
      await store.recordAuditEvents([event({ type: "payload", payload })]);
    }
    expect((await trail(store, { type: "payload" })).map(({ payload }) => payload)).toEqual([null, 0, "text", [], {}]);
  });

  test("filters say what they mean, and attempt 0 is not every attempt", async () => {
    const { store } = await open();
    const us = noon * 1000;
    const uuid = "aaaaaaaa-0000-4000-8000-000000000000";
    await store.recordAuditEvents([
      event({ type: "a", jobId: "1", attemptIndex: 0, heimdallJobId: uuid }),
      event({ type: "b", jobId: "1", attemptIndex: 1, level: "error", producedAtUs: us + 1 }),
      event({ type: "c", jobId: "2", producer: "q", producedAtUs: us + 2 }),
    ]);
    const types = async (filter: AuditFilter) => (await trail(store, filter)).map(({ type }) => type).join("");
    expect(await types({ jobId: "1" })).toBe("ab");
    expect(await types({ jobId: "1", attemptIndex: 0 })).toBe("a");
    expect(await types({ heimdallJobId: uuid.toUpperCase() })).toBe("a");
    expect(await types({ level: "error" })).toBe("b");
    expect(await types({ level: "info" })).toBe("ac");
    expect(await types({ producer: "q" })).toBe("c");
    expect(await types({ type: "b", jobId: "2" })).toBe("");
    expect(await types({ fromUs: us + 1, toUs: us + 1 })).toBe("b");
    expect(await types({ fromUs: us + 1 })).toBe("bc");
    expect(await types({ toUs: us + 1 })).toBe("ab");
  });

  test("a walk in either order sees each event once, and those of one microsecond too, while more are written", async () => {
    const { store } = await open();
    const times = fc.array(fc.nat(3), { minLength: 1, maxLength: 12 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        times,
        fc.constantFrom("asc" as const, "desc" as const),
        fc.integer({ min: 1, max: 5 }),
        async (offsets, order, limit) => {
          const type = `walk-${run++}`;
          const at = (us: number) => event({ type, producedAtUs: noon * 1000 + us });
          await store.recordAuditEvents(offsets.map(at));
          const before = (await trail(store, { type })).map(({ id }) => id);
          const found: StoredAuditEvent[] = [];
          for (;;) {
            const after = found.at(-1);
            const page = await store.listAuditEvents({ type }, { order, limit, ...(after && { after }) });
            found.push(...page.rows);
            if (!page.hasMore) break;
            if (found.length < 15) await store.recordAuditEvents([at(run % 4)]); // Else it could go on for ever.
          }
          const ids = found.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids.filter((id) => before.includes(id)).toSorted((a, b) => a - b)).toEqual(before);
          const sign = order === "asc" ? 1 : -1;
          expect(found).toEqual(found.toSorted((a, b) => sign * (a.producedAtUs - b.producedAtUs || a.id - b.id)));
        },
      ),
      { numRuns: 10 },
    );
  });

  test("a report whose dates nobody can mean is taken all the same", async () => {
    const { store } = await open();
    const steps = [
      stepOf({ key: "far", begunAt: 253_402_300_799_999 }),
      stepOf({ key: "old", begunAt: -62_135_596_800_000 }),
    ];
    await store.reportPass(pass(noon, { steps }), noon);
    expect((await trail(store, { jobId: "1" })).map(({ producedAtUs }) => producedAtUs)).toEqual([
      Number.MAX_SAFE_INTEGER,
      0,
    ]);
  });
}
