/**
 * Goal    silence and lost speed are told, once and in time; a healthy training is never alarmed about, and no watcher's death
 *         changes what is told.
 * Method  tables; properties over healthy traces of many shapes; the same trace read by one watcher and by two.
 */
import { limits as bounds } from "@reprise/core/limits.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lotsFrom } from "./chance.example.ts";
import { healthy, shapes } from "./healthy.example.ts";
import { type Event, hear, lastsMs, limits, steps, t0, watched, withPauses } from "./trace.example.ts";
import { type Vital, Vitals } from "./vitals.ts";

const minute = 60_000;
const even = (count: number, ms = 5_000) => steps(Array.from({ length: count }, () => ms));
const after = (events: readonly Event[], ms: number) => events.at(-1)!.at + ms;
const hangs = (events: readonly Event[], until: number, change = {}) =>
  hear(new Vitals(watched(change)), events, until).filter((vital) => vital.kind === "hang");

describe("silence in the loop", () => {
  const loop = even(100);

  test("is told once the author's limit has passed, and not before", () => {
    expect(hangs(loop, after(loop, limits.trainingLoopMs))).toEqual([]);
    expect(hangs(loop, after(loop, limits.trainingLoopMs + 1))).toMatchObject([
      { cause: "no-further-step", detail: "no further step for 30 min; the limit in the training loop allows 30 min" },
    ]);
  });

  test("is told once, however long it lasts", () => {
    const vitals = new Vitals(watched());
    hear(vitals, loop);
    const told = Array.from({ length: 50 }, (_, hours) => vitals.judge(after(loop, hours * 3_600_000)));
    expect(told.filter((vital) => vital !== undefined)).toHaveLength(1);
  });

  test("is told again after further steps, under another key", () => {
    const more = steps([45 * minute, 5_000, 5_000], { from: after(loop, 0), first: 101 });
    const told = hangs([...loop, ...more], after(more, 45 * minute));
    expect(new Set(told.map((vital) => vital.key)).size).toBe(2);
  });

  test("may last twice as long while an evaluation runs that was announced", () => {
    const evaluating: Event = { at: after(loop, 10), step: 100, what: { kind: "evaluating" } };
    expect(hangs([...loop, evaluating], after(loop, 59 * minute))).toEqual([]);
    expect(hangs([...loop, evaluating], after(loop, 61 * minute))).toMatchObject([
      { detail: expect.stringContaining("an evaluation was announced") },
    ]);
  });

  test("may last as long as this job's own pauses did, but not for ever", () => {
    const habit = withPauses(even(400), {
      every: 100,
      ms: 40 * minute,
      begins: { kind: "saving" },
      ends: { kind: "saved" },
    });
    const saving: Event = { at: after(habit, 10), step: 400, what: { kind: "saving" } };
    const learnt = { silence: { ...limits, trainingLoopMs: 25 * minute } };
    expect(hangs([...habit, saving], after(habit, 55 * minute), learnt)).toEqual([]);
    expect(hangs([...habit, saving], after(habit, 101 * minute), learnt)).toHaveLength(1);
  });

  test("is not told of a program that prints a step once an hour", () => {
    const rare = even(6, 60 * minute);
    const patient = { silence: { pretrainingMs: 3 * 60 * minute, trainingLoopMs: 90 * minute } };
    expect(hangs(rare, after(rare, 3 * 60 * minute), patient)).toEqual([]);
    expect(hangs(rare, after(rare, 5 * 60 * minute), patient)).toHaveLength(1);
  });

  test.each([2, 4, 16])("is not told of a program whose output comes %i steps at a time", (lines) => {
    const burst = (at: number) => Array.from({ length: lines }, (_, i) => (i === 0 ? at : i * 5));
    const buffered = steps([...burst(2 * minute), ...burst(40 * minute), ...burst(40 * minute), ...burst(40 * minute)]);
    expect(hangs(buffered, after(buffered, 159 * minute))).toEqual([]);
    expect(hangs(buffered, after(buffered, 161 * minute))).toHaveLength(1);
  });

  test("after one burst of steps is judged by the limit before the first step", () => {
    const burst = steps([2 * minute, 0, 0, 0]);
    expect(hangs(burst, after(burst, limits.pretrainingMs))).toEqual([]);
    expect(hangs(burst, after(burst, limits.pretrainingMs + 1))).toHaveLength(1);
  });

  test("is judged by the longer gaps, since lines that were read late make others look short", () => {
    const catchingUp = steps([2, 15, 15, 1, 1, 15, 1, 1, 15, 1, 1, 15, 1, 1].map((m) => m * minute));
    const hasty = { silence: { pretrainingMs: 30 * minute, trainingLoopMs: 5 * minute } };
    expect(hangs(catchingUp, after(catchingUp, 59 * minute), hasty)).toEqual([]);
    expect(hangs(catchingUp, after(catchingUp, 61 * minute), hasty)).toHaveLength(1);
  });

  test("of a suspended job does not count", () => {
    const vitals = new Vitals(watched());
    hear(vitals, loop);
    vitals.excused(after(loop, 5 * 3_600_000));
    expect(vitals.judge(after(loop, 5 * 3_600_000 + 29 * minute))).toBeUndefined();
    expect(vitals.judge(after(loop, 5 * 3_600_000 + 31 * minute))).toBeDefined();
  });

  test("is nothing when training has finished, or when its author watches for none", () => {
    const vitals = new Vitals(watched());
    hear(vitals, loop);
    vitals.finished();
    expect(vitals.judge(after(loop, 9 * 3_600_000))).toBeUndefined();
    expect(hangs(loop, after(loop, 9 * 3_600_000), { silence: undefined })).toEqual([]);
  });

  test("names the rank whose last step is behind the others'", () => {
    const ranks = [0, 1, 2, 3].flatMap((rank) =>
      [1, 2, 3]
        .filter((step) => rank !== 2 || step < 3)
        .map((step): Event => ({ at: t0 + step * 5_000, step, what: { kind: "step", rank } })),
    );
    const inOrder = ranks.toSorted((a, b) => a.at - b.at);
    expect(hangs(inOrder, after(inOrder, 31 * minute))).toMatchObject([
      { ranks: [2], detail: expect.stringContaining("rank 2 is behind the others") },
    ]);
  });
});

describe("collectives that a watchdog gave up", () => {
  const longest = "x".repeat(100_000);
  const gaveUp = (...reached: readonly [rank: number, sequence: number][]) => {
    const vitals = new Vitals(watched());
    return reached.flatMap(([rank, sequence]) => {
      const text = `[Rank ${rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=${sequence}, OpType=ALLREDUCE) ${longest}`;
      const bytes = new TextEncoder().encode(text);
      const line = { path: "/log", inode: "7", offset: rank, bytes, from: 0, to: bytes.length, isReplay: false };
      return vitals.complained({ line, text, speaker: {}, now: t0 }, rank) ?? [];
    });
  };

  test("name the rank that is still in an earlier one, once", () => {
    const told = gaveUp([0, 1559], [3, 1558], [1, 1559], [2, 1559], [4, 1559]);
    expect(told).toMatchObject([{ kind: "hang", cause: "rank-behind", root: true, ranks: [3] }]);
    expect(new TextEncoder().encode(told[0]!.evidence.line).length).toBe(bounds.evidenceLineBytesMax);
  });

  test.each([
    [
      "all are in the same",
      [
        [0, 7],
        [1, 7],
        [2, 7],
      ],
    ],
    [
      "most are behind",
      [
        [0, 6],
        [1, 6],
        [2, 7],
      ],
    ],
    [
      "only two speak",
      [
        [0, 6],
        [1, 7],
      ],
    ],
  ] as const)("name nobody when %s", (_what, reached) => {
    expect(gaveUp(...reached.map(([rank, sequence]) => [rank, sequence] as [number, number]))).toEqual([]);
  });
});

describe("silence before the first step", () => {
  const says = (minutes: number, text: string): Event => ({
    at: t0 + minutes * minute,
    step: 0,
    what: { kind: "says", text },
  });

  test("is told once the limit has passed since the last line that said something new", () => {
    const start = [says(0, "Building tokenizer..."), says(2, "loading shard 1 of 8"), says(30, "loading shard 2 of 8")];
    expect(hangs(start, t0 + 90 * minute)).toEqual([]);
    expect(hangs(start, t0 + 91 * minute)).toMatchObject([
      { cause: "no-first-step", evidence: { line: "loading shard 2 of 8" } },
    ]);
  });

  test("is not broken by a line that is said again and again", () => {
    const again = Array.from({ length: 62 }, (_, n) => says(n, "WARNING: waiting for the lock"));
    expect(hangs(again, t0 + 62 * minute)).toHaveLength(1);
  });

  test("is not broken by a heartbeat with the time in front of it", () => {
    const at = (n: number) =>
      `2030-01-01 ${String(10 + Math.floor(n / 60))}:${String(n % 60).padStart(2, "0")}:00,000 - INFO - alive`;
    const again = Array.from({ length: 62 }, (_, n) => says(n, at(n)));
    expect(hangs(again, t0 + 62 * minute)).toHaveLength(1);
  });

  test("is never told of a program whose steps nobody recognises, while they go on", () => {
    const unknown = Array.from({ length: 600 }, (_, n) => says(n * 10, `done ${n} of 9000 ... ok`));
    expect(hangs(unknown, t0 + 6_000 * minute)).toEqual([]);
  });

  test("of a job that has printed nothing counts from its start", () => {
    expect(hangs([], t0 + 61 * minute)).toMatchObject([{ cause: "no-first-step", key: "no-line:no-first-step" }]);
  });

  test("has its own limit again after a checkpoint was loaded", () => {
    const loop = even(50);
    const loaded: Event = { at: after(loop, minute), step: 40, what: { kind: "loaded" } };
    expect(hangs([...loop, loaded], after(loop, 59 * minute))).toEqual([]);
    expect(hangs([...loop, loaded], after(loop, 62 * minute))).toHaveLength(1);
  });
});

describe("lost throughput", () => {
  const changed = (seed: number, share: number, { noise = 0.01, usual = 10_000, before = 400, count = 800 } = {}) => {
    const lots = lotsFrom(seed);
    return Array.from({ length: count }, (_, n) => usual * (n < before ? 1 : share) * (1 + noise * lots.normal()));
  };
  const told = (times: readonly number[], change = {}) =>
    hear(new Vitals(watched({ silence: undefined, ...change })), steps(times));

  test.each([
    ["6 % of quiet steps", 1.06, 0.003],
    ["10 %", 1.1, 0.01],
    ["a fifth of noisy steps", 1.2, 0.05],
    ["half of wild ones", 2, 0.15],
  ])("%s is told, once, with where it began", (_what, share, noise) => {
    for (let seed = 1; seed <= 20; seed++) {
      const changes = told(changed(seed, share, { noise }));
      expect(changes).toMatchObject([{ cause: "throughput-lost", root: false, domain: "hardware" }]);
      const since = Number(/since step (\d+)/.exec(changes[0]!.detail)![1]);
      expect(Math.abs(since - 400)).toBeLessThanOrEqual(20);
    }
  });

  test("says what it costs, and what a restart would", () => {
    const [change] = told(changed(3, 2, { noise: 0.003 }));
    expect(change!.detail).toMatch(
      /^steps are (?:100|99\.\d|100\.\d) % longer since step (?:39|40)\d: (?:19|20)\.\d+ s instead of (?:9|10)\.\d+ s; an hour loses 30 min; a restart costs about \d+ min$/,
    );
  });

  test("costs the same when another watcher, whose clock is an hour behind, has taken over", () => {
    const events = steps(changed(3, 2, { noise: 0.003 }));
    const [before, after] = [events.slice(0, 300), events.slice(300)];
    const saved: Event = { at: before.at(-1)!.at + 1, step: 300, what: { kind: "saved" } };
    const first = new Vitals(watched());
    hear(first, [...before, saved]);
    const memory = first.memory(saved.at);
    const hour = 60 * minute;
    const second = new Vitals(watched({ positions: [{ memory }], beginsAt: saved.at - hour }));
    const cost = (all: readonly Vital[]) =>
      /costs about (\d+) min/.exec(all.find((v) => v.kind === "slowdown")!.detail)![1];
    const alone = hear(new Vitals(watched()), [...before, saved, ...after]);
    expect(
      Number(
        cost(
          hear(
            second,
            after.map((e) => ({ ...e, at: e.at - hour })),
          ),
        ),
      ),
    ).toBeCloseTo(Number(cost(alone)), -1);
  });

  test("that heals within half an hour is not told, and one that heals later is told to be over", () => {
    const short = changed(5, 1.3, { before: 400, count: 500 });
    expect(told([...short, ...changed(6, 1, { count: 400 })])).toEqual([]);
    const long = changed(5, 1.3, { before: 400, count: 900 });
    const kinds = told([...long, ...changed(6, 1, { count: 400 })]).map((vital) => vital.cause);
    expect(kinds).toEqual(["throughput-lost", "throughput-regained"]);
  });

  test("is nothing when every step carries more, as the line says", () => {
    const batch = (size: number) => ({ kind: "step" as const, text: `step | global batch size: ${size} |` });
    const ramp = steps(changed(7, 1.5)).map(
      (event, n): Event => ({
        ...event,
        what: { ...batch(n < 400 ? 256 : 512), ms: event.step < 401 ? 10_000 : 15_000 },
      }),
    );
    expect(hear(new Vitals(watched({ silence: undefined })), ramp)).toEqual([]);
  });

  test("names the rank whose own step times are longer than the others'", () => {
    const ranks = changed(12, 1.5).flatMap((ms, n) =>
      [0, 1, 2, 3].map(
        (rank): Event => ({
          at: t0 + (n + 1) * 15_000 + rank,
          step: n + 1,
          what: { kind: "step", rank, ms: rank === 2 && n >= 400 ? ms * 1.6 : ms },
        }),
      ),
    );
    expect(hear(new Vitals(watched({ silence: undefined })), ranks)).toMatchObject([
      { cause: "throughput-lost", ranks: [2] },
    ]);
  });

  test("faster is a change worth recording", () => {
    expect(told(changed(8, 0.8))).toMatchObject([{ cause: "throughput-gained", root: false }]);
  });

  test("is not told to an author who has not asked", () => {
    expect(told(changed(9, 2), { slowdownLastsMs: undefined })).toEqual([]);
  });

  test.each([
    ["busy GPUs", "97", "0", "hardware"],
    ["idle GPUs and a busy program", "5", "0", "workload"],
    ["idle GPUs that wait for storage", "5", "60", "storage"],
  ])("with %s is put down to %s %s → %s", (_what, gpuUtil, ioWait, domain) => {
    const vitals = new Vitals(watched({ silence: undefined }));
    vitals.loadOf("n1", { gpuUtil, ioWait });
    expect(hear(vitals, steps(changed(3, 2)))).toMatchObject([{ domain }]);
  });
});

// A test by chance has a rate of false alarms (docs/benchmarks.md), and none of exactly nothing: here the same traces are drawn in each run.
describe("a healthy training", () => {
  test.each(shapes.map((shape) => [shape.name, shape] as const))("%s: nothing is told", (_name, shape) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const told = hear(new Vitals(watched()), healthy(shape, seed, 600));
        expect(told.filter((vital) => vital.cause !== "throughput-gained")).toEqual([]);
      }),
      { numRuns: 25, seed: 1 },
    );
  });
});

test("two watchers, one after the other, tell what one would have told, under the same keys", () => {
  const lots = lotsFrom(11);
  const slow = Array.from({ length: 900 }, (_, n) => 10_000 * (n < 400 ? 1 : 1.4) * (1 + 0.01 * lots.normal()));
  const events = withPauses(steps(slow), {
    every: 150,
    ms: 20 * minute,
    begins: { kind: "saving" },
    ends: { kind: "saved" },
  });
  const until = after(events, 5 * 3_600_000);
  const keys = (told: readonly { readonly key: string }[]) => told.map((vital) => vital.key);
  const one = keys(hear(new Vitals(watched()), events, until));
  expect(one).toHaveLength(2);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: events.length }), fc.integer({ min: 0, max: 5 }), (killed, again) => {
      const first = new Vitals(watched());
      const before = keys(hear(first, events.slice(0, killed)));
      const savedAt = events[Math.max(0, killed - 1)]!.at;
      const memory = first.memory(savedAt);
      expect(memory.length).toBeLessThan(16_384);
      const second = new Vitals(watched({ positions: [{ memory }], beginsAt: savedAt }));
      // The last lines were read, but their position was held back: they are read again.
      const after = keys(hear(second, events.slice(Math.max(0, killed - again)), until));
      expect(new Set([...before, ...after])).toEqual(new Set(one));
    }),
    { numRuns: 60 },
  );
});

test("steps that were read late teach nothing: a program stays as slow as it was while somebody looked", () => {
  const rare = even(16, 40 * minute);
  let vitals = new Vitals(watched());
  hear(vitals, rare);
  let [at, first] = [after(rare, 0), 17];
  for (let absence = 0; absence < 16; absence++, first += 2) {
    const beginsAt = at + 60 * minute;
    vitals = new Vitals(watched({ positions: [{ memory: vitals.memory(at) }], beginsAt }));
    const late = steps([0, 10 * minute], { from: beginsAt, first });
    expect(hear(vitals, late)).toEqual([]);
    at = after(late, 0);
  }
  expect(hear(vitals, [], at + 159 * minute)).toEqual([]);
  expect(hear(vitals, [], at + 161 * minute)).toHaveLength(1);
});

test("a memory that cannot be read is none: the watch begins anew", () => {
  for (const memory of ["", "{", "null", "[]", '{"version":2}', '{"version":1,"savedAt":1,"pulse":{}}'])
    expect(hangs([], t0 + 61 * minute, { positions: [{ memory }] })).toHaveLength(1);
  expect(lastsMs).toBe(1_800_000);
});
