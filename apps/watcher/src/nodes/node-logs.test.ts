/**
 * Goal    each line of a node that may explain a failure reaches the server once, with its own time, whatever dies in between; what has no
 *         time, is older than anybody there, or repeats itself for hours does not.
 * Method  files in memory; a server that keeps what it has acknowledged, and may fail before or after it has; a watcher that is killed
 *         at every moment.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { NodeLine, NodeLogPosition } from "@reprise/protocol/wire/node-line.ts";
import { createMatcher } from "../match/matcher.ts";
import { loadSignatures } from "../match/pack-files.ts";
import { createMemorySource } from "../source/memory/memory-source.ts";
import { createChunk } from "../lines.ts";
import { NodeLogs } from "./node-logs.ts";

const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../../../signatures", import.meta.url))]));
const noon = Date.UTC(2025, 2, 1, 12);
const s = 1_000;
const leaseMs = 30 * s;
const passMs = 225;
type Fault = "before" | "after";

class NodeWorld {
  now = noon;
  readonly files = createMemorySource({ now: () => this.now });
  readonly lines = new Map<string, NodeLine>();
  repeated = 0;
  nodes = ["n1"];
  since = noon - 60 * s;
  readonly faults: (Fault | undefined)[] = [];
  readonly warnings: object[] = [];
  /** What happens during the next calls. */
  readonly meanwhile: (() => void)[] = [];
  private readonly positions = new Map<string, readonly NodeLogPosition[]>();
  private logs: NodeLogs | undefined;

  print(node: string, text: string, at = this.now): void {
    const time = new Date(at).toISOString();
    this.files.append(`/logs/${node}/messages`, `${time} ${node} kernel: ${text}\n`);
  }

  /** Lets time pass. A rejected call is what the loop would log. */
  async run(ms: number): Promise<void> {
    for (const until = this.now + ms; this.now < until; this.now += passMs) {
      this.logs ??= this.start();
      await this.logs.claimOnce().catch(() => undefined);
      while (await this.logs.tailOnce().catch(() => false));
    }
  }

  /** kill -9: what was only in memory is gone. */
  kill(): void {
    this.logs = undefined;
  }

  get told(): string[] {
    return [...this.lines.values()].map(
      ({ node, at, line }) => `${node} ${(at - noon) / s} ${/Xid.*/.exec(line)?.[0]}`,
    );
  }

  private start(): NodeLogs {
    const silent = () => undefined;
    return new NodeLogs({
      watcherId: "w1",
      nodesMax: 100,
      server: {
        claimNodeLogs: () => {
          const held = this.nodes.map((node) => ({ cluster: "c", node, since: this.since }));
          return this.call(() => ({
            nodeLogs: held.map((one) => ({ ...one, positions: this.positions.get(one.node) ?? [] })),
            leaseMs,
          }));
        },
        reportNodeLines: ({ lines, positions }) =>
          this.call(() => {
            for (const line of lines) {
              if (this.lines.has(`${line.node} ${line.key}`)) this.repeated++;
              else this.lines.set(`${line.node} ${line.key}`, line);
            }
            for (const [node, of] of Map.groupBy(positions, (position) => position.node)) this.positions.set(node, of);
          }),
      },
      source: this.files,
      matcher,
      buffer: createChunk(),
      patterns: ["/logs/%N/messages*"],
      zone: "UTC",
      clock: { now: () => this.now, elapsed: () => this.now },
      log: { debug: silent, info: silent, error: silent, warn: (fields) => void this.warnings.push(fields) },
    });
  }

  private async call<T>(act: () => T): Promise<T> {
    this.meanwhile.shift()?.();
    const fault = this.faults.shift();
    if (fault === "before") throw new Error("the server is away");
    const answer = act();
    if (fault === "after") throw new Error("the answer was lost");
    return answer;
  }
}

const xid = (code: number) => `NVRM: Xid (PCI:0000:4e:00): ${code}, pid=1`;

test("lines that may explain a failure are told with their own time, and others are not", async () => {
  const world = new NodeWorld();
  world.print("n1", xid(31), noon - 90 * s); // Before anybody ran there.
  world.print("n1", xid(79), noon - 30 * s);
  world.print("n1", "usb 1-1: new device");
  await world.run(2 * s);
  world.print("n1", xid(94));
  await world.run(2 * s);
  expect(world.told).toEqual([
    "n1 -30 Xid (PCI:0000:4e:00): 79, pid=1",
    `n1 ${2_025 / s} Xid (PCI:0000:4e:00): 94, pid=1`,
  ]);
});

test("a line that was written while the server was slow to answer has its own time, and says nothing of the node's clock", async () => {
  const world = new NodeWorld();
  world.print("n1", "usb 1-1: new device");
  await world.run(s);
  world.print("n1", xid(31));
  world.faults.push("before");
  await world.run(passMs);
  world.meanwhile.push(() => {
    world.now += 8 * s;
    world.print("n1", xid(79));
  });
  await world.run(s);
  expect(world.told.at(-1)).toBe(`n1 ${(8_000 + 1_350) / s} Xid (PCI:0000:4e:00): 79, pid=1`);
});

test("a line whose time cannot be read, or is long to come, concerns nobody; it is told once", async () => {
  const world = new NodeWorld();
  await world.run(s);
  for (let i = 0; i < 3; i++) world.files.append("/logs/n1/messages", `[ 812${i}.1] ${xid(79)}\n`);
  world.print("n1", xid(79), noon + 3_600 * s);
  await world.run(12 * s);
  expect(world.told).toEqual([]);
  expect(world.warnings).toMatchObject([
    { node: "n1", why: "its time cannot be read" },
    { node: "n1", why: "its time is yet to come" },
  ]);
});

test("a node that repeats itself is heard ten times a minute, and of another signature at once", async () => {
  const world = new NodeWorld();
  for (let i = 0; i < 90; i++) world.print("n1", xid(31), noon - 59 * s + i * s);
  world.print("n1", xid(79));
  world.now += 40 * s;
  await world.run(s);
  expect(world.told.filter((line) => line.includes(" 31"))).toHaveLength(20);
  expect(world.told.filter((line) => line.includes(" 79"))).toHaveLength(1);
});

test("of a file that is very long its end is read", async () => {
  const world = new NodeWorld();
  world.print("n1", xid(79));
  world.files.append(
    "/logs/n1/messages",
    "x"
      .repeat(1023)
      .concat("\n")
      .repeat(5 * 1024),
  );
  world.print("n1", xid(94));
  await world.run(2 * s);
  expect(world.told).toEqual(["n1 0 Xid (PCI:0000:4e:00): 94, pid=1"]);
});

test("a node that nobody needs any more is let go, and read on later from where it was left", async () => {
  const world = new NodeWorld();
  world.print("n1", xid(79));
  await world.run(12 * s);
  world.nodes = [];
  await world.run(6 * s);
  world.print("n1", xid(94));
  await world.run(6 * s);
  expect(world.told).toHaveLength(1);
  world.nodes = ["n1"];
  await world.run(6 * s);
  expect(world.told).toHaveLength(2);
  expect(world.repeated).toBe(0);
});

test("a file that is rotated is read to its end, and the new one from its beginning", async () => {
  const world = new NodeWorld();
  world.print("n1", xid(79));
  await world.run(2 * s);
  world.print("n1", xid(94));
  world.files.rename("/logs/n1/messages", "/logs/n1/messages.1"); // The pattern finds it there once more.
  world.now += 500;
  world.print("n1", xid(31));
  await world.run(30 * s);
  expect(world.told).toHaveLength(3);
});

test("a name that leads out of its folder is no node's", async () => {
  const world = new NodeWorld();
  world.nodes = ["../n1", "..", "n1/../n2", "*"];
  world.print("n1", xid(79));
  world.print("n2", xid(79));
  await world.run(6 * s);
  expect(world.told).toEqual([]);
});

test("no line is lost or doubled, whatever fails and whenever the watcher is killed", async () => {
  for (let moment = 0; moment < 24; moment++) {
    for (const fault of ["before", "after"] as const) {
      const world = new NodeWorld();
      world.faults.push(...Array.from({ length: moment % 8 }, () => undefined), fault);
      for (let i = 0; i < 24; i++) {
        world.print("n1", xid(i % 2 === 0 ? 79 : 94));
        if (i === moment) world.kill();
        await world.run(4 * s); // Of each signature fewer than are heard in a minute.
      }
      await world.run(8 * s);
      expect(world.lines.size, `killed at ${moment}, ${fault}`).toBe(24);
    }
  }
});
