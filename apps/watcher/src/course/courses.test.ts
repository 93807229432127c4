/**
 * Goal    people are told how each attempt went, and what stood around its failure; and nothing else is ever kept waiting for it.
 * Method  stories in a world in memory, told by the parts that tell them in the real one.
 */
import { Refusal } from "@reprise/core/refusal.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { describe, expect, test } from "vitest";
import { NotNow } from "../source/source.ts";
import { eccLine, stepLine, World } from "../world.ts";
import { AttemptCourse } from "./attempt-course.ts";
import { Courses } from "./courses.ts";
import { readContext } from "./log-context.ts";

const path = "/logs/slurm-128.out";

const unknownPace = { lastStep: undefined, isBehind: false, baselineStepMs: undefined };

function hearStep(course: AttemptCourse, at: number): void {
  const evidence = { source: "log", line: "", at } as const;
  const signal = { key: `${at}`, heimdallJobId: "a0", kind: "progress", at, step: at, evidence } as const;
  course.heard({
    signals: [{ ...signal, root: false, exitIndependent: false, nodes: [] }],
    positions: [],
    ...unknownPace,
  });
}

async function trainingWorld(seconds: number): Promise<World> {
  const world = new World();
  world.target({ heimdallJobId: "a0" });
  for (let n = 1; n <= seconds; n++) {
    world.log.append(path, stepLine(n));
    await world.run(1_000);
    if (n % 5 === 0) await world.tellCourses();
  }
  return world;
}

describe("the curve", () => {
  test("has the steps of a training that goes on, in few reports", async () => {
    const world = await trainingWorld(300);
    const { points } = world.course("a0");
    expect(points.length).toBeGreaterThan(100);
    expect(points.at(-1)?.step).toBeGreaterThan(270);
    expect(points.every(({ step }, i) => i === 0 || step > points[i - 1]!.step)).toBe(true);
    expect(world.courseReports.length).toBeLessThan(40);
  });

  test("of a training of a month grows by a few hundred points each time as long as it has lasted", () => {
    const course = new AttemptCourse("a0", 0);
    const told: number[] = [];
    for (let at = 0; at < 30 * 24 * 3_600_000; at += 30_000) {
      hearStep(course, at);
      const report = course.isDue(at) ? course.report(at, new World().log) : undefined;
      if (report === undefined) continue;
      told.push(report.points.length);
      course.told(report);
    }
    expect(told.reduce((sum, n) => sum + n, 0)).toBeLessThan(3_000);
    expect(told.length).toBeLessThan(250);
  });
});

test("of steps that were read at once the last one has their time: a watcher that comes late sees no training that flies", async () => {
  const world = new World();
  world.target({ heimdallJobId: "a0" });
  for (let n = 1; n <= 500; n++) world.log.append(path, stepLine(n));
  await world.run(1_000);
  await world.tellCourses();
  expect(world.course("a0").points.map(({ step }) => step)).toEqual([500]);
});

describe("the lines around a failure", () => {
  test("are told some seconds later, with what followed from it, once", async () => {
    const world = await trainingWorld(10);
    world.log.append(path, `${eccLine}Traceback: <script>\n\u001b[31mred\u001b[0m\n${"x".repeat(5_000)}\n`);
    await world.run(3_000);
    await world.tellCourses();
    expect(world.course("a0").contexts).toEqual([]);
    await world.run(3_000);
    await world.tellCourses();
    await world.tellCourses();
    const [context] = world.course("a0").contexts;
    expect(context?.key).toBe(world.of("a0", "crash")[0]?.key);
    expect(context?.before).toHaveLength(8);
    expect(context?.before.at(-1)).toBe(stepLine(10).trimEnd());
    expect(context?.after).toEqual(["Traceback: <script>", "red", "x".repeat(400)]);
    expect(
      world.courseReports.flatMap(({ courses }) => courses).filter(({ contexts }) => contexts.length > 0),
    ).toHaveLength(1);
  });

  test("are told of an attempt that ends at once", async () => {
    const world = await trainingWorld(5);
    world.log.append(path, `${eccLine}after\n`);
    world.target({ heimdallJobId: "a0", ended: true });
    await world.run(4_000);
    expect(world.released).toEqual(["a0"]);
    await world.tellCourses();
    expect(world.course("a0").contexts[0]?.after).toEqual(["after"]);
  });

  test("are told also when a restart has emptied the log meanwhile", async () => {
    const world = await trainingWorld(5);
    world.log.append(path, `${eccLine}after\n`);
    await world.run(2_000);
    await world.tellCourses();
    world.log.truncate(path);
    await world.run(6_000);
    await world.tellCourses();
    expect(world.course("a0").contexts[0]?.after).toEqual(["after"]);
  });

  test("are not those of a file that has other words at that place by now", async () => {
    const world = await trainingWorld(5);
    world.log.append(path, eccLine);
    await world.run(500);
    world.log.truncate(path);
    world.log.append(path, stepLine(1).repeat(50));
    await world.run(6_000);
    await world.tellCourses();
    expect(world.course("a0").contexts).toEqual([]);
  });

  const line = eccLine.trim();
  const at = (source: World["log"], offset: number, start = 0) =>
    readContext(source, { key: "k", line, path, offset, inode: "1", start });

  test("have nothing from before the attempt's part of its file", () => {
    const { log } = new World();
    log.append(path, `of the attempt before\nown\n${eccLine}`);
    expect(at(log, 26)?.before).toEqual(["of the attempt before", "own"]);
    expect(at(log, 26, 22)?.before).toEqual(["own"]);
    expect(readContext(log, { key: "k", line, path: "/gone", offset: 0, inode: "1", start: 0 })).toBeUndefined();
  });

  test("begin with a whole line", () => {
    const { log } = new World();
    log.append(path, `${"y".repeat(20_000)}\n${eccLine}`);
    expect(at(log, 20_001)?.before).toEqual([]);
  });
});

describe("whatever goes wrong with it", () => {
  test("signals and positions go on, and what the server has not got is told later", async () => {
    const world = await trainingWorld(10);
    world.faults.push("before");
    world.log.append(path, stepLine(11));
    await expect(world.tellCourses()).resolves.toBeUndefined(); // Nothing new: nobody is asked.
    await world.run(3_000);
    world.faults.splice(0, Number.POSITIVE_INFINITY, "before");
    await expect(world.tellCourses()).rejects.toThrow("away");
    world.log.append(path, eccLine);
    await world.run(500);
    expect(world.of("a0", "crash")).toHaveLength(1);
    await world.tellCourses();
    expect(world.course("a0").points.at(-1)?.step).toBe(11);
  });

  test("what the server refuses for good is told once, and the next is told as ever", async () => {
    const courses = new Courses();
    const course = courses.of("a0", 0);
    const hear = (at: number) => hearStep(course, at);
    const asked: number[] = [];
    const life = fakeLife();
    const reportCourses = (report: { readonly courses: readonly { readonly points: readonly unknown[] }[] }) => {
      asked.push(report.courses[0]!.points.length);
      return Promise.reject(new Refusal("unimplemented", "an older server"));
    };
    const parts = { watcherId: "w", server: { reportCourses }, source: new World().log, life };
    for (const at of [2_000, 4_000]) {
      hear(at);
      await courses.reportOnce(parts);
      await courses.reportOnce(parts);
    }
    expect(asked).toEqual([1, 1]);
    expect(life.lines.filter(({ level }) => level === "warn")).toHaveLength(2);
  });

  test("a file system that does not answer is asked some times, and then let be", () => {
    const course = new AttemptCourse("a0", 0);
    const evidence = { source: "log", line: "x", path, offset: 0, at: 0 } as const;
    const signal = { key: "k", heimdallJobId: "a0", kind: "crash", at: 0, evidence } as const;
    const position = { heimdallJobId: "a0", path, device: "", inode: "1", mark: "", offset: 9, start: 0, ended: false };
    course.heard({
      signals: [{ ...signal, root: true, exitIndependent: false, nodes: [] }],
      positions: [position],
      ...unknownPace,
    });
    course.close();
    let asked = 0;
    const open = () => {
      asked++;
      throw new NotNow();
    };
    while (!course.isOver) expect(course.report(10_000, { open })).toBeUndefined();
    expect(asked).toBe(5);
  });
});
