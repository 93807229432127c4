/**
 * Goal    a line of a node becomes a signal of the attempts that it concerns, with its own time, file and byte, once, whoever reads;
 *         the attempt is let go only when its lines were read; what another job on the node may have done ends nobody.
 * Method  one attempt on `node-a` and `node-b`, whose target brings lines of them.
 */
import { expect, test } from "vitest";
import { stepLine, World } from "../world.ts";

const s = 1_000;
const id = "a-0";
const log = "/logs/slurm-128.out";
const xid = (at: number, change = {}) => ({
  node: "node-b",
  at,
  line: "Mar  1 12:00:00 node-b kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid=1, GPU has fallen off the bus.",
  key: "7:100:aa",
  path: "/logs/node-b/messages",
  offset: 100,
  isShared: false,
  ...change,
});
const nodeLines = (...lines: ReturnType<typeof xid>[]) => ({ nodeLines: lines, nodeLinesNumber: lines.length });

test("is told as what it is: of its node, with its own time, its file and byte, and the step before it", async () => {
  const world = new World();
  world.log.append(log, stepLine(41));
  world.target({ heimdallJobId: id });
  await world.run(3 * s);
  const at = world.now - 700;
  world.target({ heimdallJobId: id, ...nodeLines(xid(at)) });
  await world.run(2 * s);
  expect(world.of(id, "crash")).toMatchObject([
    {
      at,
      cause: "xid-fatal",
      root: true,
      exitIndependent: true,
      nodes: ["node-b"],
      step: 41,
      evidence: { source: "node-log", path: "/logs/node-b/messages", offset: 100, at },
    },
  ]);
  await world.run(3 * s);
  world.target({ heimdallJobId: id, ...nodeLines(xid(at), xid(at + s, { key: "7:200:aa", offset: 200 })) });
  await world.run(2 * s);
  expect(world.of(id, "crash")).toHaveLength(2);
  expect(world.repeated).toBe(0);
});

test("is told under the same key by the next watcher", async () => {
  const world = new World();
  world.log.append(log, stepLine(41));
  world.target({ heimdallJobId: id, ...nodeLines(xid(world.now)) });
  await world.run(3 * s);
  world.kill();
  await world.run(3 * s);
  expect(world.of(id, "crash")).toHaveLength(1);
  expect(world.repeated).toBe(1);
});

test("that another job may have caused does not by itself end this one", async () => {
  const world = new World();
  world.log.append(log, stepLine(41));
  world.target({ heimdallJobId: id, ...nodeLines(xid(world.now, { isShared: true })) });
  await world.run(3 * s);
  expect(world.of(id, "crash")).toMatchObject([{ root: true, exitIndependent: false }]);
});

test("that came from no file has no place", async () => {
  const world = new World();
  const { path: _, offset: __, ...line } = xid(world.now);
  world.log.append(log, stepLine(41));
  world.target({ heimdallJobId: id, nodeLines: [line], nodeLinesNumber: 1 });
  await world.run(3 * s);
  const [crash] = world.of(id, "crash");
  expect([crash?.key, crash?.evidence.path, crash?.evidence.offset]).toEqual([
    "node-b 7:100:aa:xid-fatal",
    undefined,
    undefined,
  ]);
});

test("is never dated after it was read", async () => {
  const world = new World();
  world.log.append(log, stepLine(41));
  world.target({ heimdallJobId: id, ...nodeLines(xid(world.now + 90 * s)) });
  await world.run(3 * s);
  expect(world.of(id, "crash")[0]?.at).toBeLessThanOrEqual(world.now);
});

test("that comes after the log was read to its end is told, and acknowledged with the end", async () => {
  const world = new World();
  world.log.append(log, stepLine(41));
  world.target({ heimdallJobId: id });
  await world.run(3 * s);
  world.target({ heimdallJobId: id, ended: true });
  await world.run(3 * s);
  expect(world.released).toContain(id);
  world.target({ heimdallJobId: id, ended: true, ...nodeLines(xid(world.now - 5 * s)) });
  await world.run(5 * s);
  expect(world.of(id, "crash")).toHaveLength(1);
  const last = world.reports.findLast(({ positions }) => positions.some(({ ended }) => ended));
  expect(last?.nodeLinesRead).toEqual([{ heimdallJobId: id, number: 1 }]);
});
