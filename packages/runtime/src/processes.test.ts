/**
 * Goal    a child gets its first message, its end is seen, it is ended by its process ID, and it ends with its parent,
 *         unless it is meant to outlive it; what dies is started again, ever more slowly.
 * Method  real processes running tiny programs from a private folder. Time is a fake clock: the back-off and the limits
 *         pass when the test says so. Nothing sleeps: each step waits for what a child says or for its end.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Child, type Exit, showExit, startChild } from "./processes.ts";
import { firstWaitMs, keepRunning, waitMaxMs } from "./supervise.ts";
import { fakeLife } from "./testing/fake-life.ts";

vi.setConfig({ testTimeout: 30_000 }); // Processes take their time on a busy machine.

const runtime = new URL(".", import.meta.url).href;

/** A folder with one program, and what its children say, one after the other. */
function programWorld(source: string) {
  const dir = mkdtempSync(join(tmpdir(), "reprise-child-"));
  const file = join(dir, "child.mjs");
  writeFileSync(file, source);
  const life = fakeLife();
  const said: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  const children: Child[] = [];
  onTestFinished(async () => {
    life.end();
    for (const child of children) if (child.pid !== undefined) kill(child.pid);
    await Promise.all(children.map((child) => child.ended));
    rmSync(dir, { recursive: true });
  });
  return {
    dir,
    life,
    logFile: join(dir, "child.log"),
    start(options: { isOwn?: boolean; firstMessage?: unknown; nodeArgs?: readonly string[] } = {}): Child {
      const child = startChild(
        {
          name: "child",
          file,
          args: [],
          nodeArgs: options.nodeArgs ?? [],
          firstMessage: options.firstMessage ?? {},
          group: options.isOwn === true ? { kind: "own", logFile: join(dir, "child.log") } : { kind: "shared" },
          onMessage: (message) => {
            const take = waiting.shift();
            if (take === undefined) said.push(message);
            else take(message);
          },
        },
        life.clock,
      );
      children.push(child);
      return child;
    },
    next: (): Promise<unknown> =>
      said.length > 0 ? Promise.resolve(said.shift()) : new Promise((resolve) => waiting.push(resolve)),
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

const echo = 'process.on("message", (m) => process.send({ heard: m, pid: process.pid }));';

test("a child hears its first message and is ended by its process ID", async () => {
  const world = programWorld(echo);
  const child = world.start({ firstMessage: { config: { port: 0 } } });
  expect(await world.next()).toEqual({ heard: { config: { port: 0 } }, pid: child.pid });
  expect(await child.stop(1_000)).toEqual({ kind: "killed", signal: "SIGTERM" });
});

test("a child's Node has the options that it was given", async () => {
  const world = programWorld("process.on('message', () => process.send(process.execArgv))");
  world.start({ nodeArgs: ["--max-semi-space-size=4"] });
  expect(await world.next()).toEqual(["--max-semi-space-size=4"]);
});

test("a child that ignores SIGTERM is killed after the limit, and not before", async () => {
  const world = programWorld(`process.on("SIGTERM", () => process.send("asked")); ${echo}`);
  const child = world.start();
  await world.next();
  const stopping = child.stop(5_000);
  expect(await world.next()).toBe("asked");
  await world.life.clock.advance(4_999);
  expect(world.life.clock.sleeping).toBe(1);
  await world.life.clock.advance(1);
  expect(await stopping).toEqual({ kind: "killed", signal: "SIGKILL" });
});

test("a child that is let go learns it, and is never killed", async () => {
  const world = programWorld(`
    process.on("disconnect", () => console.log("left"));
    setInterval(() => {}, 1_000);
    ${echo}`);
  const child = world.start({ isOwn: true });
  await world.next();
  const leaving = child.letGo(5_000);
  await expect.poll(() => readFileSync(world.logFile, "utf8")).toBe("left\n");
  await world.life.clock.advance(5_000);
  expect(await leaving).toBeUndefined();
  expect(child.pid === undefined ? undefined : process.kill(child.pid, 0)).toBe(true);
});

test("a child that is let go and ends in time is seen to end", async () => {
  const world = programWorld(`process.on("disconnect", () => process.exit(4)); ${echo}`);
  const child = world.start();
  await world.next();
  expect(await child.letGo(5_000)).toEqual({ kind: "exited", code: 4 });
});

test.each<[string, string, Exit]>([
  ["an exit code", "process.exit(3)", { kind: "exited", code: 3 }],
  ["a signal", 'process.kill(process.pid, "SIGKILL")', { kind: "killed", signal: "SIGKILL" }],
])("the end by %s is seen", async (_how, source, exit) => {
  expect(await programWorld(source).start().ended).toEqual(exit);
});

test("a child in a group of its own prints into its own file", async () => {
  const world = programWorld('console.log("out"); console.error("err"); process.exit(0)');
  await world.start({ isOwn: true }).ended;
  expect(readFileSync(world.logFile, "utf8")).toBe("out\nerr\n");
});

test("a child learns at once that its parent was killed; one of its own group may go on", async () => {
  const world = programWorld(`
    import { parentOfThisProcess } from ${JSON.stringify(`${runtime}parent.ts`)};
    import { writeFileSync } from "node:fs";
    const parent = parentOfThisProcess();
    const { out } = await parent.firstMessage;
    parent.gone.addEventListener("abort", () => { writeFileSync(out, "gone"); process.exit(0); });
    parent.say({ pid: process.pid });
  `);
  const out = join(world.dir, "out");
  const parentFile = join(world.dir, "parent.mjs");
  writeFileSync(
    parentFile,
    `
    import { startChild } from ${JSON.stringify(`${runtime}processes.ts`)};
    import { systemClock } from ${JSON.stringify(`${runtime}clock.ts`)};
    const group = { kind: "own", logFile: ${JSON.stringify(world.logFile)} };
    startChild({ name: "c", file: ${JSON.stringify(join(world.dir, "child.mjs"))}, args: [], firstMessage: { out: ${JSON.stringify(out)} },
      group, onMessage: ({ pid }) => console.log(pid) }, systemClock);
  `,
  );
  const parent = spawn(process.execPath, [parentFile], { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  onTestFinished(() => kill(Number(pid)));
  parent.kill("SIGKILL");
  await expect.poll(() => existsSync(out) && readFileSync(out, "utf8")).toBe("gone");
});

test("what dies is started again after waits that double up to a limit", async () => {
  const world = programWorld("process.exit(1)");
  let starts = 0;
  const kept = keepRunning(world.life, () => (starts++, world.start()));
  const waits: number[] = [];
  for (let death = 1; death <= 7; death++) {
    await world.life.clock.untilSleeping();
    expect(starts).toBe(death);
    waits.push(world.life.clock.nextInMs ?? 0);
    await world.life.clock.advance(waits.at(-1) ?? 0);
  }
  expect(waits).toEqual([firstWaitMs, 400, 800, 1_600, 3_200, waitMaxMs, waitMaxMs]);
  expect(world.life.lines[0]).toMatchObject({
    level: "warn",
    fields: { part: "child", exit: "exit code 1", waitMs: 200 },
  });
  world.life.end();
  await kept.ended;
});

test("one that ran for long is started again soon", async () => {
  const world = programWorld(echo);
  keepRunning(world.life, () => world.start());
  for (let death = 1; death <= 3; death++) {
    const { pid } = (await world.next()) as { pid: number };
    await world.life.clock.advance(60_000);
    process.kill(pid, "SIGKILL");
    await world.life.clock.untilSleeping();
    expect(world.life.clock.nextInMs).toBe(firstWaitMs);
    await world.life.clock.advance(firstWaitMs);
  }
});

test("after the life has ended nothing is started again", async () => {
  const world = programWorld(echo);
  let starts = 0;
  const kept = keepRunning(world.life, () => (starts++, world.start()));
  await world.next();
  world.life.end();
  await kept.current()?.stop(1_000);
  await kept.ended;
  expect([starts, kept.current()]).toEqual([1, undefined]);
});

test("an end that must not be repeated ends the supervision", async () => {
  const world = programWorld("process.exit(2)");
  const exits: string[] = [];
  const mayRetry = (exit: Exit) => (exits.push(showExit(exit)), false);
  await keepRunning(world.life, () => world.start(), { mayRetry }).ended;
  expect(exits).toEqual(["exit code 2"]);
});
