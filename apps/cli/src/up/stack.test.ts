/**
 * Goal    the parts start in order and know each other's addresses; a server that comes back has its old ports; a server that
 *         never listens ends it all; the end comes in order, and the watchdog is left, never ended.
 * Method  real processes: one small program plays all parts, and tells this test over a loopback socket what happens to it.
 *         Time is a fake clock. Nothing sleeps: each step waits for what a part tells.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import type { ServerConfig, ServerReady } from "@reprise/server/config.ts";
import { type PartState, runStack, type StackPlan, stopLimitMs, withPortsOf } from "./stack.ts";

vi.setConfig({ testTimeout: 30_000 }); // Processes take their time on a busy machine.

interface Told {
  readonly part: string;
  readonly pid: number;
  readonly what: "begun" | "asked-to-end" | "left";
  readonly config?: { readonly http?: { readonly port: number }; readonly server?: string };
  readonly isPretty?: boolean;
}

const partProgram = (port: number) => `
import { connect } from "node:net";
const part = process.argv[2];
const socket = connect(${port}, "127.0.0.1");
const tell = (what, more = {}) => socket.write(JSON.stringify({ part, pid: process.pid, what, ...more }) + "\\n");
process.on("SIGTERM", () => { tell("asked-to-end"); socket.end(() => process.exit(0)); });
process.on("disconnect", () => { tell("left"); if (part !== "watchdog") process.exit(9); });
process.once("message", ({ config, isPretty }) => {
  tell("begun", { config, isPretty });
  if (config.dataDir === "/broken") return void socket.end(() => process.exit(1));
  const p = config.http?.port || 4711;
  if (part === "server") process.send({ kind: "ready", ready: { http: "http://127.0.0.1:" + p, grpc: "127.0.0.1:4712", internalHttp: "http://127.0.0.1:4713", internalGrpc: "127.0.0.1:4714", tokenFile: "/t" } });
});
`;

const any = { host: "127.0.0.1", port: 0 };
const serverConfig: ServerConfig = {
  dataDir: "/d",
  http: any,
  grpc: any,
  internalHttp: any,
  internalGrpc: any,
  tokenFile: "/t",
  insecure: false,
  cluster: "default",
};

async function stackWorld(change: { dataDir?: string; withScheduler?: boolean } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "reprise-stack-"));
  const told: Told[] = [];
  const waiting: (() => void)[] = [];
  const listener = createServer((socket: Socket) => {
    socket.on("error", () => {});
    createInterface({ input: socket }).on("line", (line) => {
      told.push(JSON.parse(line) as Told);
      for (const look of waiting.splice(0)) look();
    });
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  const program = join(dir, "part.mjs");
  writeFileSync(program, partProgram((listener.address() as AddressInfo).port));

  const life = fakeLife();
  const ready: { ready: ServerReady; parts: readonly PartState[] }[] = [];
  const left: (number | undefined)[] = [];
  const plan: StackPlan = {
    program,
    server: { ...serverConfig, dataDir: change.dataDir ?? "/d" },
    watcher: (server) => ({ server, watcherId: "w", signatureDirs: [], targetsMax: 1 }),
    ...(change.withScheduler === false
      ? {}
      : {
          sac: (server: string) => ({ server }) as never,
          watchdog: { config: {} as never, logFile: join(dir, "watchdog.log") },
        }),
    log: { logLevel: "info", isPretty: true },
  };
  const ended = runStack(life, plan, {
    onReady: (what, parts) => void ready.push({ ready: what, parts }),
    onWatchdogLeft: (pid) => void left.push(pid),
  });
  onTestFinished(async () => {
    life.end();
    for (const { pid } of told) kill(pid);
    await ended;
    listener.close();
    rmSync(dir, { recursive: true });
  });
  /** The nth thing that a part told, as soon as it is told. */
  const next = async (part: string, what: Told["what"], nth = 1): Promise<Told> => {
    for (;;) {
      const found = told.filter((one) => one.part === part && one.what === what)[nth - 1];
      if (found !== undefined) return found;
      await new Promise<void>((look) => waiting.push(look));
    }
  };
  return { life, told, next, ended, ready, left };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

test("when the server listens the others are started with its address, and then it says so once", async () => {
  const world = await stackWorld();
  const sac = await world.next("sac", "begun");
  const watcher = await world.next("watcher", "begun");
  await world.next("watchdog", "begun");
  expect([sac.config?.server, watcher.config?.server]).toEqual(["127.0.0.1:4714", "127.0.0.1:4714"]);
  expect(world.told[0]).toMatchObject({ part: "server", what: "begun" });
  expect(world.ready).toHaveLength(1);
  expect(world.ready[0]?.ready.http).toBe("http://127.0.0.1:4711");
  expect(world.ready[0]?.parts.map(({ part }) => part)).toEqual(["server", "watcher", "watchdog", "sac"]);
});

test("the watchdog's log is a file, and so never made for a terminal", async () => {
  const world = await stackWorld();
  expect([(await world.next("sac", "begun")).isPretty, (await world.next("watchdog", "begun")).isPretty]).toEqual([
    true,
    false,
  ]);
});

test("without a scheduler there is neither SAC nor watchdog", async () => {
  const world = await stackWorld({ withScheduler: false });
  await world.next("watcher", "begun");
  world.life.end();
  expect(await world.ended).toBe("stopped");
  expect(new Set(world.told.map(({ part }) => part))).toEqual(new Set(["server", "watcher"]));
});

test("a server that died comes back on the ports it had, and nothing is said twice", async () => {
  const world = await stackWorld();
  expect((await world.next("server", "begun")).config?.http?.port).toBe(0);
  await world.next("sac", "begun");
  kill((await world.next("server", "begun")).pid);
  await world.life.clock.untilSleeping();
  await world.life.clock.advance(200);
  expect((await world.next("server", "begun", 2)).config?.http?.port).toBe(4711);
  expect(world.ready).toHaveLength(1);
  expect(world.told.filter(({ part, what }) => part === "sac" && what === "begun")).toHaveLength(1);
});

test("a server that ends before it ever listened ends the stack, and nothing else was started", async () => {
  const world = await stackWorld({ dataDir: "/broken" });
  expect(await world.ended).toBe("not-ready");
  expect(new Set(world.told.map(({ part }) => part))).toEqual(new Set(["server"]));
  expect(world.ready).toEqual([]);
});

test("an end while the server is still starting ends the server", async () => {
  const world = await stackWorld();
  world.life.end();
  expect(await world.ended).toBe("stopped");
});

test("at the end SAC and the watcher end before the server, and the watchdog is left alone and named", async () => {
  const world = await stackWorld();
  await Promise.all(["sac", "watcher", "watchdog"].map((part) => world.next(part, "begun")));
  world.life.end();
  await world.next("watchdog", "left");
  await world.next("server", "asked-to-end");
  await world.life.clock.untilSleeping();
  await world.life.clock.advance(stopLimitMs);
  expect(await world.ended).toBe("stopped");
  const order = world.told.filter(({ what }) => what === "asked-to-end").map(({ part }) => part);
  expect(order.slice(0, 2).sort()).toEqual(["sac", "watcher"]);
  expect(order.slice(2)).toEqual(["server"]);
  const watchdog = await world.next("watchdog", "begun");
  expect(world.left).toEqual([watchdog.pid]);
  expect(process.kill(watchdog.pid, 0)).toBe(true);
});

test("only the port of a listener follows what the server said", () => {
  const ready: ServerReady = {
    http: "http://127.0.0.1:1",
    grpc: "127.0.0.1:2",
    internalHttp: "http://[::1]:3",
    internalGrpc: "strange",
    tokenFile: "",
  };
  const { http, grpc, internalHttp, internalGrpc } = withPortsOf(ready, {
    ...serverConfig,
    internalHttp: { host: "::1", port: 0 },
  });
  expect([http, grpc, internalHttp, internalGrpc]).toEqual([
    { host: "127.0.0.1", port: 1 },
    { host: "127.0.0.1", port: 2 },
    { host: "::1", port: 3 },
    any,
  ]);
});
