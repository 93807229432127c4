/**
 * Goal    what a job's log says reaches the server once, with its exact place, for the right attempt; whatever dies.
 * Method  stories in a world in memory; a property with faults and kills at random.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eccLine, stepLine, World } from "./world.ts";

const path = "/logs/slurm-128.out";

/** Attempt 0 has begun and printed three steps. */
async function runningWorld(): Promise<World> {
  const world = new World();
  world.target({ heimdallJobId: "a0" });
  world.log.append(path, stepLine(1) + stepLine(2) + stepLine(3));
  await world.run(3_000);
  return world;
}

/** Attempt 0 crashed and was read to its end; attempt 1 is about to run. */
async function restartedWorld(): Promise<World> {
  const world = await runningWorld();
  world.log.append(path, eccLine);
  world.target({ heimdallJobId: "a0", ended: true });
  await world.run(3_000);
  expect(world.released).toEqual(["a0"]);
  return world;
}

function startAttempt1(world: World): void {
  world.now += 2_000;
  const startTime = Math.floor(world.now / 1000) * 1000;
  world.target({ heimdallJobId: "a1", attemptIndex: 1, slurm: { stdout: path, workDir: "/work", startTime } });
}

describe("a crash line", () => {
  test("becomes a signal with its exact place, its node and the last step before it", async () => {
    const world = await runningWorld();
    const offset = world.log.size(path);
    world.log.append(path, eccLine);
    await world.run(500);
    const [crash] = world.of("a0", "crash");
    expect(crash).toMatchObject({
      cause: "cuda-ecc-uncorrectable",
      causeClass: "hardware-node",
      domain: "hardware",
      root: true,
      exitIndependent: true,
      nodes: ["node-b"],
      rank: 11,
      step: 3,
      evidence: { source: "log", line: eccLine.trim(), path, offset },
    });
  });

  test("is told within one look, and the position moves past it in the same report", async () => {
    const world = await runningWorld();
    const reports = world.reports.length;
    world.log.append(path, eccLine);
    await world.run(225);
    expect(world.reports).toHaveLength(reports + 1);
    expect(world.position("a0")).toMatchObject({ offset: world.log.size(path), readAt: world.now - 225 });
  });

  test("is followed by positions twice a second, so that the silence after it is known", async () => {
    const world = await runningWorld();
    world.log.append(path, eccLine);
    await world.run(225);
    const reports = world.reports.length;
    await world.run(3_000);
    expect(world.reports.length - reports).toBeGreaterThanOrEqual(4);
  });

  test("and a step after it in the same look are told in order", async () => {
    const world = await runningWorld();
    world.log.append(path, stepLine(4) + eccLine + stepLine(5));
    await world.run(500);
    const told = world.of("a0").filter((s) => (s.step ?? 0) >= 4);
    expect(told.map((s) => [s.kind, s.step])).toEqual([
      ["progress", 4],
      ["crash", 4],
      ["progress", 5],
    ]);
    const [before = 0, crash = 0, after = 0] = told.map((s) => s.at);
    expect([before < crash, crash < after]).toEqual([true, true]);
  });
});

describe("progress", () => {
  test("is told at the first step and then at most every two seconds", async () => {
    const world = new World();
    world.target({ heimdallJobId: "a0" });
    for (let step = 1; step <= 40; step++) {
      world.log.append(path, stepLine(step));
      await world.run(225);
    }
    const told = world.of("a0", "progress");
    expect(told[0]?.step).toBe(1);
    expect(told.length).toBeGreaterThanOrEqual(4);
    expect(told.length).toBeLessThanOrEqual(6);
    expect(told.at(-1)).toMatchObject({ stepSpacingMs: 1_000 });
  });

  test("comes with the longest time between two, also when another watcher has seen the one before", async () => {
    const world = new World();
    world.target({ heimdallJobId: "a0" });
    world.log.append(path, stepLine(1) + stepLine(2));
    for (let life = 0; life < 3; life++) {
      await world.run(20_000);
      world.kill();
      world.now += 20_000;
    }
    world.log.append(path, stepLine(3) + stepLine(4));
    await world.run(5_000);
    const { stepSpacingMs = 0 } = world.of("a0", "progress").at(-1)!;
    expect(stepSpacingMs).toBeGreaterThanOrEqual(119_000);
  });

  test("is told at once while a fatal line waits for it", async () => {
    const world = await runningWorld();
    world.log.append(path, eccLine);
    await world.run(225);
    world.log.append(path, stepLine(4));
    await world.run(225);
    expect(world.of("a0", "progress").at(-1)?.step).toBe(4);
  });

  test("of the last step is never lost to the pace of reports", async () => {
    const world = await runningWorld();
    world.log.append(path, stepLine(4));
    world.target({ heimdallJobId: "a0", ended: true });
    await world.run(2_000);
    expect(world.of("a0", "progress").at(-1)?.step).toBe(4);
  });
});

describe("a restart", () => {
  test("that empties the log is read from its beginning", async () => {
    const world = await restartedWorld();
    startAttempt1(world);
    await world.run(1_000);
    world.log.truncate(path);
    world.log.append(path, "  successfully loaded checkpoint from /c [ t 0 ] at iteration 2\n" + stepLine(3));
    await world.run(1_000);
    expect(world.of("a1").map((s) => [s.kind, s.step])).toEqual([
      ["resumed", 2],
      ["progress", 3],
    ]);
    expect(world.position("a1")?.start).toBe(0);
  });

  test("that appends to the log is read from where the attempt before it stopped", async () => {
    const world = await restartedWorld();
    const boundary = world.log.size(path);
    startAttempt1(world);
    await world.run(1_000);
    world.log.append(path, stepLine(3) + stepLine(4));
    await world.run(3_000);
    expect(world.of("a1", "crash")).toEqual([]);
    expect(world.of("a1", "resumed")[0]).toMatchObject({ step: 3, evidence: { offset: boundary } });
    expect(world.position("a1")?.start).toBe(boundary);
  });

  test("that was over before the watcher looked is read from its beginning all the same", async () => {
    const world = await restartedWorld();
    const size = world.log.size(path);
    startAttempt1(world);
    world.log.truncate(path);
    while (world.log.size(path) <= size) world.log.append(path, stepLine(90) + eccLine.replace("rank11", "rank2"));
    world.target({ heimdallJobId: "a1", ended: true });
    await world.run(2_000);
    expect(world.of("a1", "crash")[0]).toMatchObject({ nodes: ["node-a"] });
  });

  test("that fails again with the very same words is not overlooked", async () => {
    const world = await restartedWorld();
    startAttempt1(world);
    world.log.truncate(path);
    world.log.append(path, stepLine(1) + stepLine(2) + stepLine(3) + eccLine);
    world.target({ heimdallJobId: "a1", ended: true });
    await world.run(2_000);
    expect(world.of("a1", "crash")).toHaveLength(1);
    expect(world.released).toEqual(["a0", "a1"]);
  });

  test("that empties the log under the reader of the attempt before it gives that one nothing", async () => {
    const world = await runningWorld();
    world.log.truncate(path);
    world.log.append(path, eccLine);
    await world.run(5_000);
    world.target({ heimdallJobId: "a0", ended: true });
    await world.run(3_000);
    expect(world.of("a0", "crash")).toEqual([]);
    expect(world.released).toEqual(["a0"]);
  });
});

test("a program that empties its own log is read on, once it is clear that no restart did it", async () => {
  const world = await runningWorld();
  world.log.truncate(path);
  world.log.append(path, stepLine(4));
  await world.run(32_000);
  expect(world.of("a0", "progress").at(-1)?.step).toBe(4);
});

test("a rotated log is read to its end, then the new one from its beginning", async () => {
  const world = await runningWorld();
  world.log.append(path, stepLine(4));
  world.log.rename(path, `${path}.1`);
  world.log.append(path, eccLine);
  await world.run(3_000);
  expect(world.of("a0", "crash")[0]).toMatchObject({ step: 4, evidence: { offset: 0 } });
});

describe("a line without an end", () => {
  test("waits for the rest of it", async () => {
    const world = await runningWorld();
    world.log.append(path, eccLine.slice(0, 30));
    await world.run(3_000);
    expect(world.of("a0", "crash")).toEqual([]);
    world.log.append(path, eccLine.slice(30));
    await world.run(500);
    expect(world.of("a0", "crash")).toHaveLength(1);
  });

  test("is taken as it is when the attempt is over", async () => {
    const world = await runningWorld();
    world.log.append(path, eccLine.trim());
    world.target({ heimdallJobId: "a0", ended: true });
    await world.run(3_000);
    expect(world.of("a0", "crash")).toHaveLength(1);
    expect(world.position("a0")).toMatchObject({ offset: world.log.size(path), ended: true });
  });
});

describe("the end of an attempt", () => {
  test("is said only after two looks without growth", async () => {
    const world = await runningWorld();
    world.target({ heimdallJobId: "a0", ended: true });
    await world.run(1_000);
    expect(world.released).toEqual([]);
    await world.run(1_500);
    expect(world.position("a0")?.ended).toBe(true);
    expect(world.released).toEqual(["a0"]);
  });

  test("is said of a log that never came to be", async () => {
    const world = new World();
    world.target({ heimdallJobId: "a0" });
    await world.run(2_000);
    expect(world.reports).toEqual([]);
    world.target({ heimdallJobId: "a0", ended: true });
    await world.run(3_000);
    expect(world.position("a0")).toMatchObject({ ended: true, inode: "", offset: 0 });
    expect(world.released).toEqual(["a0"]);
  });
});

describe("what cannot be read", () => {
  test("is said, and read on when it can be again", async () => {
    const world = await runningWorld();
    world.kill();
    world.log.refuse(path, "EACCES: permission denied");
    await world.run(3_000);
    expect(world.position("a0")).toMatchObject({ unreadable: "EACCES: permission denied" });
    world.log.append(path, eccLine);
    world.log.refuse(path, undefined);
    await world.run(1_000);
    expect(world.of("a0", "crash")).toHaveLength(1);
    expect(world.position("a0")?.unreadable).toBeUndefined();
  });

  test("is said of a path that cannot be resolved", async () => {
    const world = new World();
    world.target({ heimdallJobId: "a0", slurm: { stdout: "relative.out" } });
    await world.run(1_000);
    expect(world.position("a0", "relative.out")?.unreadable).toContain("the work directory is not known");
  });
});

describe("several files", () => {
  test("of a pattern are all read, also those that come later", async () => {
    const world = new World();
    world.target({ heimdallJobId: "a0", logPaths: ["/logs/rank_%t.log"] });
    world.log.append("/logs/rank_0.log", stepLine(1));
    await world.run(3_000);
    world.log.append("/logs/rank_11.log", eccLine);
    await world.run(3_000);
    expect(world.of("a0", "crash")[0]?.evidence.path).toBe("/logs/rank_11.log");
  });

  test("tell a traceback apart", async () => {
    const world = new World();
    world.target({
      heimdallJobId: "a0",
      slurm: { stdout: "/logs/o", stderr: "/logs/e", workDir: "/w", startTime: world.now },
    });
    world.log.append("/logs/e", "Traceback (most recent call last):\n  File a\n");
    world.log.append("/logs/o", "ValueError: only a word in the output\n");
    await world.run(1_000);
    world.log.append("/logs/e", "KeyError: 'input_ids'\n");
    await world.run(1_000);
    expect(world.of("a0", "crash").map((s) => [s.cause, s.evidence.line])).toEqual([
      ["python-exception", "KeyError: 'input_ids'"],
    ]);
  });
});

test("a flood of the same error is told a few times, its first line among them", async () => {
  const world = await runningWorld();
  const first = world.log.size(path);
  world.log.append(path, "RuntimeError: CUDA error: uncorrectable ECC error encountered\n".repeat(5_000));
  await world.run(1_000);
  expect(world.of("a0", "crash")).toHaveLength(5);
  expect(world.of("a0", "crash")[0]?.evidence.offset).toBe(first);
});

test("what does not fit one report goes into the next, and only the one that failed is sent again", async () => {
  const world = new World();
  const saved = Array.from(
    { length: 400 },
    (_, i) => `successfully saved checkpoint at iteration ${i + 1} to /c\n`,
  ).join("");
  for (const id of ["a", "b"]) {
    world.target({ heimdallJobId: id, slurm: { stdout: `/logs/${id}`, workDir: "/w", startTime: world.now } });
    world.log.append(`/logs/${id}`, saved);
  }
  world.faults.push("none", "none", "before"); // The claim, the first report, the second.
  await world.run(3_000);
  expect([world.of("a").length, world.of("b").length, world.repeated]).toEqual([400, 400, 0]);
});

test("a crash does not wait for the reports of hundreds of attempts that only say where they were read to", async () => {
  const world = new World();
  const ids = Array.from({ length: 600 }, (_, n) => `a${n}`);
  for (const id of ids) {
    world.target({ heimdallJobId: id, slurm: { stdout: `/logs/${id}`, workDir: "/w", startTime: world.now } });
    world.log.append(`/logs/${id}`, stepLine(1));
  }
  await world.run(3_000);
  for (const id of ids) world.log.append(`/logs/${id}`, stepLine(2));
  world.log.append("/logs/a599", eccLine);
  const before = world.reports.length;
  await world.run(3_000);
  const told = world.reports.slice(before);
  expect(told.findIndex(({ signals }) => signals.some(({ kind }) => kind === "crash"))).toBe(0);
});

test("a log that grows faster than it can be read is said to be sampled, and its end is read", async () => {
  const world = new World();
  world.target({ heimdallJobId: "a-0" });
  world.log.append("/logs/slurm-128.out", stepLine(1));
  await world.run(2_000);
  const flood = Buffer.alloc(100 * 1024 * 1024, `${"x".repeat(1023)}\n`);
  world.log.append("/logs/slurm-128.out", flood);
  world.log.append("/logs/slurm-128.out", stepLine(2));
  await world.run(3_000);
  expect(world.position("a-0")?.unreadable).toMatch(/^sampled: it grows faster than it can be read, \d+ MiB/);
  expect(world.of("a-0", "progress").map(({ step }) => step)).toEqual([1, 2]);
  expect(world.warnings).toMatchObject([{ job: "128", attempt: 0, path: "/logs/slurm-128.out" }]);
});

test("a watcher that stops gives its targets back", async () => {
  const world = await runningWorld();
  await world.stop();
  expect(world.released).toEqual(["a0"]);
});

test("a watcher that is killed in the middle of a traceback still tells its end", async () => {
  const world = await runningWorld();
  world.log.append(path, "[rank3]: Traceback (most recent call last):\n[rank3]:   File a\n");
  await world.run(3_000);
  world.kill();
  world.log.append(path, "[rank3]: KeyError: 'x'\n");
  await world.run(1_000);
  expect(world.of("a0", "crash")[0]).toMatchObject({ cause: "python-exception", rank: 3, nodes: ["node-a"] });
});

test("a watcher that is killed says resumed once", async () => {
  const world = await restartedWorld();
  startAttempt1(world);
  world.log.truncate(path);
  world.log.append(path, stepLine(3));
  await world.run(1_000);
  world.kill();
  world.log.append(path, stepLine(4));
  await world.run(3_000);
  expect(world.of("a1", "resumed")).toHaveLength(1);
});

test("while the server is away nothing is read past it, and everything is told when it is back", async () => {
  const world = await runningWorld();
  const before = world.position("a0");
  world.log.append(path, stepLine(4) + eccLine);
  world.faults.push(...Array<"before">(8).fill("before"));
  await world.run(1_000);
  expect(world.position("a0")).toEqual(before);
  world.faults.length = 0;
  await world.run(1_000);
  expect(world.of("a0", "crash")).toHaveLength(1);
});

/** What a log of a few attempts' worth of events is made of. */
const event = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("write" as const), line: fc.nat(3), cut: fc.nat(60) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("run" as const), ms: fc.integer({ min: 225, max: 3_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("fault" as const),
      fault: fc.constantFrom("before" as const, "after" as const),
    }),
  },
);

test("no kill and no lost answer loses a line, tells one twice or for another place", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 30 }), async (events) => {
      const world = new World();
      world.target({ heimdallJobId: "a0" });
      let written = "";
      let step = 0;
      const expected: number[] = [];
      const write = (text: string) => {
        world.log.append(path, text);
        written += text;
      };
      for (const e of events) {
        if (e.kind === "run") await world.run(e.ms);
        else if (e.kind === "kill") world.kill();
        else if (e.kind === "fault") world.faults.push(e.fault);
        else {
          const isCrash = e.line === 0 && expected.length < 5;
          const text = isCrash ? eccLine : e.line === 1 ? "nothing to see\n" : stepLine(++step);
          if (isCrash) expected.push(written.length);
          write(text.slice(0, e.cut));
          if (e.cut % 3 === 0) await world.run(225); // Sometimes the watcher sees half a line.
          write(text.slice(e.cut));
        }
      }
      world.faults.length = 0;
      world.target({ heimdallJobId: "a0", ended: true });
      await world.run(10_000);
      expect(world.of("a0", "crash").map((s) => s.evidence.offset)).toEqual(expected);
      expect(world.of("a0", "progress").at(-1)?.step ?? 0).toBe(step);
      expect(world.position("a0")?.ended).toBe(true);
      expect(world.released).toEqual(["a0"]);
      for (const { evidence } of world.of("a0")) {
        expect(written.slice(evidence.offset).split("\n", 1)[0]?.trim()).toBe(evidence.line);
      }
    }),
    { numRuns: 150 },
  );
});
