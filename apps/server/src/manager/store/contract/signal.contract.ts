/**
 * Goal    what a watcher reads is recorded once, with how far it read; and progress makes nobody think unless something waits for it.
 */
import { expect, test } from "vitest";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import { limits } from "@reprise/core/limits.ts";
import {
  crash,
  decided,
  factsOf,
  noon,
  position,
  report,
  restart,
  s,
  settleDecisions,
  signals,
  step,
  undecided,
  type Open,
} from "../testing/world.ts";

export function signalContract(open: Open): void {
  test("a file that cannot be read whole stands in the job's story until it can", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const tell = (change: object) =>
      store.recordSignals({ reporter: "w1", signals: [], positions: [position(job, 500, change)] }, noon);
    const unread = async () => (await store.story("default", "1"))[0]?.unread;
    await tell({ unreadable: "sampled: 92 MiB were left out" });
    expect(await unread()).toEqual([position(job, 500, { unreadable: "sampled: 92 MiB were left out" })]);
    await tell({});
    expect(await unread()).toEqual([]);
  });

  test("a signal known by its attempt and key is not recorded again, whoever reports it", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const other = await store.upsertJob(report("2"), noon);
    expect(await store.recordSignals(signals(crash(job), crash(job)), noon)).toEqual({ recorded: 1, repeated: 1 });
    const twice = await replica.recordSignals({ ...signals(crash(job), crash(other)), reporter: "w2" }, noon + s);
    expect(twice).toEqual({ recorded: 1, repeated: 1 });
    expect((await factsOf(store, job)).signals).toEqual([{ ...crash(job), recordedAt: noon }]);
  });

  test("what a detector measured is kept with its signal", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const silence = crash(job, { kind: "hang", cause: "no-further-step", detail: "no further step for 31 min" });
    await store.recordSignals(signals(silence), noon);
    expect((await factsOf(store, job)).signals).toEqual([{ ...silence, recordedAt: noon }]);
  });

  test("many reports of the same signals at once record each once", async () => {
    const { store, replica } = await open();
    const jobs = await Promise.all(["1", "2", "3"].map((id) => store.upsertJob(report(id), noon)));
    const batch = jobs.flatMap((job) => ["a", "b"].map((key) => crash(job, { key })));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (i % 2 ? store : replica).recordSignals(signals(...(i % 3 ? batch : batch.toReversed())), noon),
      ),
    );
    expect(answers.reduce((sum, { recorded }) => sum + recorded, 0)).toBe(batch.length);
  });

  test("a long path, a NUL and half a character in a line stop no report", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const path = `/logs/${"long/".repeat(2000)}\0`;
    const broken = crash(job, { key: `${path}:1`, evidence: { source: "log", line: "\0\ud83d", path, at: noon } });
    await store.recordSignals({ reporter: "w1", signals: [broken], positions: [position(job, 10, { path })] }, noon);
    expect((await factsOf(store, job)).signals[0]?.evidence.line).toBe("\uFFFD\uFFFD");
  });

  test("progress is folded: how far it came, how fast, what was saved, where it resumed", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const at = (n: number) => noon + n * s;
    await store.recordSignals(
      signals(
        step(job, 40, at(1), { kind: "resumed", key: "resumed" }),
        step(job, 41, at(2)),
        step(job, 42, at(4)),
        step(job, 41, at(5), { key: "another rank, late" }),
        step(job, 42, at(6), { kind: "checkpoint-saved", key: "saved" }),
      ),
      noon,
    );
    const { progress, signals: kept } = await factsOf(store, job);
    expect(progress).toEqual({
      firstStep: 41,
      firstStepAt: at(2),
      lastStep: 42,
      lastStepAt: at(4),
      stepSpacingMs: 2 * s,
      checkpointStep: 42,
      checkpointAt: at(6),
      resumedFromStep: 40,
      resumedAt: at(1),
    });
    expect(kept.map(({ kind }) => kind)).toEqual(["resumed"]);
    const again = await store.recordSignals(signals(step(job, 42, at(4)), step(job, 43, at(8))), noon);
    expect(again).toEqual({ recorded: 1, repeated: 1 });
  });

  test("progress alone makes nobody decide again; a fault, a checkpoint or waiting Advice does", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await settleDecisions(store, noon);
    await store.recordSignals(signals(step(job, 1, noon)), noon);
    expect(await undecided(store, noon)).toEqual([]);
    await store.recordSignals(signals(step(job, 1, noon, { kind: "checkpoint-saved", key: "saved" })), noon);
    expect(await undecided(store, noon)).toEqual(["1-0"]);
    await store.recordSignals(signals(crash(job)), noon);
    await settleDecisions(store, noon + s);
    expect(await undecided(store, noon + s)).toEqual([]);
    await store.recordSignals(signals(step(job, 2, noon + 2 * s)), noon + 2 * s);
    expect(await undecided(store, noon + 2 * s)).toEqual(["1-0"]);
    await settleDecisions(store, noon + 3 * s);
    await store.recordSignals(signals(step(job, 2, noon + 2 * s), crash(job)), noon + 3 * s);
    expect(await undecided(store, noon + 3 * s)).toEqual([]);
  });

  test("of many reports at once about one attempt none is lost", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const told = Array.from({ length: 20 }, (_, i) => [
      step(job, i, noon + i * s),
      step(job, i, noon + i * s, { kind: "checkpoint-saved", key: `saved ${i}` }),
    ]).flat();
    await Promise.all(told.map((signal, i) => (i % 4 < 2 ? store : replica).recordSignals(signals(signal), noon)));
    expect((await factsOf(store, job)).progress).toMatchObject({ lastStep: 19, checkpointStep: 19 });
  });

  test("progress stirs an attempt with Advice", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    await settleDecisions(store, noon);
    await store.recordSignals(signals(step(job, 1, noon)), noon);
    expect(await undecided(store, noon)).toEqual(["1-0"]);
  });

  test("of very many signals the roots and the end marker come first, earliest first", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const louder = Array.from({ length: limits.situationSignalsMax + 50 }, (_, i) =>
      crash(job, { key: `${i}`, root: false, at: noon + i }),
    );
    const roots = [crash(job, { key: "second", at: noon + 900 * s }), crash(job, { key: "first", at: noon + 800 * s })];
    const end = crash(job, { key: "end", kind: "finished", root: false, at: noon + 1000 * s });
    await store.recordSignals(signals(...louder, ...roots, end), noon);
    const keys = (await factsOf(store, job)).signals.map(({ key }) => key);
    expect(keys).toHaveLength(limits.situationSignalsMax);
    expect(keys.slice(0, 4)).toEqual(["first", "second", "end", "0"]);
  });

  test("the logs are read up to the time of the slowest file, and to their end when every file is", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const err = { path: "/logs/err.log" };
    const told = async (...positions: ReturnType<typeof position>[]) => {
      await store.recordSignals({ reporter: "w1", signals: [], positions }, noon);
      const { logReadAt, logEndedAt } = (await factsOf(store, job)).progress;
      return [logReadAt, logEndedAt].map((at) => (at === undefined ? undefined : at - noon));
    };
    expect(await told(position(job, 100), position(job, 50, err))).toEqual([50, undefined]);
    expect(await told(position(job, 60, { ...err, unreadable: "permission denied" }))).toEqual([undefined, undefined]);
    expect(await told(position(job, 200, { ended: true }))).toEqual([undefined, undefined]);
    await settleDecisions(store, noon);
    expect(await told(position(job, 70, { ...err, ended: true }))).toEqual([70, 200]);
    expect(await undecided(store, noon)).toEqual(["1-0"]);
  });

  test("a cause that hundreds of ranks repeat leaves room for the one that explains it", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const waiting = Array.from({ length: 512 }, (_, rank) =>
      crash(job, {
        key: `hang ${rank}`,
        at: noon + rank,
        kind: "hang",
        cause: "nccl-watchdog",
        causeClass: "hang",
        rank,
      }),
    );
    const late = crash(job, { key: "xid", at: noon + 180 * s });
    for (let i = 0; i < waiting.length; i += 256)
      await store.recordSignals(signals(...waiting.slice(i, i + 256)), noon + s);
    await store.recordSignals(signals(late), noon + 181 * s);
    const told = (await factsOf(store, job)).signals;
    expect(told).toHaveLength(limits.situationSignalsMax);
    expect(told.slice(0, -1).map(({ rank }) => rank)).toEqual(told.slice(0, -1).map((_, rank) => rank));
    expect(told.at(-1)?.key).toBe("xid");
  });

  test("signals about an attempt that nobody has published yet are there when somebody does", async () => {
    const { store } = await open();
    const heimdallJobId = attemptUuid({ jobId: "1", attemptIndex: 0 });
    const unseen = crash({ heimdallJobId });
    expect(await store.recordSignals(signals(unseen), noon)).toEqual({ recorded: 1, repeated: 0 });
    expect(await store.claimUndecided(10, s, noon)).toEqual([]);
    const job = await store.upsertJob(report("1"), noon + s);
    expect((await factsOf(store, job)).signals).toHaveLength(1);
  });

  test("who listens hears of what was committed, in this process and in another one", async () => {
    const { store, replica } = await open();
    const heard = Promise.withResolvers<void>();
    const kinds = new Set<string>();
    const stop = replica.onChange(({ kind }) => {
      if (kind !== "anew") kinds.add(kind);
      if (kinds.size === 4) heard.resolve();
    });
    // A notification may be lost while the other process connects; a change is never told only once.
    for (let i = 0; kinds.size < 4 && i < 200; i++) {
      const job = await store.upsertJob(report(`${i}`), noon);
      await store.recordSignals(signals(crash(job)), noon);
      await decided(store, job, restart());
      await store.observeStatus(
        job.heimdallJobId,
        { observedGeneration: 1, disposition: "CONVERGED", reason: "ALREADY_SATISFIED", message: "", observedAt: noon },
        noon,
      );
    }
    await heard.promise;
    stop();
    expect([...kinds].sort()).toEqual(["advice", "job", "signal", "status"]);
  });
}
