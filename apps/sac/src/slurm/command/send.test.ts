/**
 * Goal    nothing is sent unless Slurm, just now, shows the attempt that was planned for, and nobody overtook us.
 * Method  a Slurm of one row, and a list of what was run.
 */
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { describe, expect, test } from "vitest";
import type { Command, Expected, Fence, Outcome } from "../slurm.ts";
import type { FenceLevel } from "./fence-file.ts";
import type { Ran } from "./run.ts";
import { type Deps, send, sendAll } from "./send.ts";

const fence: Fence = {
  expected: { jobId: "7", restartCount: 1, submitAt: 1_795_964_365_000, states: ["PENDING", "FAILED"] },
  leaseTerm: 4,
  epoch: 1,
};
const answer = (stdout: string, rc = 0, stderr = ""): Ran => ({ rc, stdout, stderr, timedOut: false });
const row = "7|7|N/A|PENDING|1|1795964365|0|\n";

/** Slurm answers the read with `read` after `readMs`, and the command with `said`. */
function world({
  read = answer(row),
  excluded = answer("7|N/A|n[2-3]\n"),
  readMs = 8,
  said = answer(""),
  level = () => undefined as FenceLevel | undefined,
  whyStopped = () => undefined as string | undefined,
}) {
  const sent: string[] = [];
  const clock = new FakeClock();
  const run: Deps["run"] = async (program, args) => {
    if (program === "squeue" && args.includes("-o")) return excluded;
    if (program === "squeue") {
      await clock.advance(readMs);
      return read;
    }
    sent.push([program, ...args].join(" "));
    return said;
  };
  const deps: Deps = { run, clock, env: {}, readFence: level, whyStopped };
  const release = (expected: Partial<Expected> = {}) =>
    send(deps, { kind: "release" }, { ...fence, expected: { ...fence.expected, ...expected } });
  /** `forMs`: so long from now on may it still be sent. */
  const begin = (command: Command, forMs: Partial<Record<"leaseUntil" | "ordersUntil", number>> = {}) => {
    const until = Object.fromEntries(Object.entries(forMs).map(([key, ms]) => [key, clock.now() + ms]));
    return send(deps, command, { ...fence, ...until });
  };
  return { sent, release, begin };
}

test("the attempt that was planned for, in a state that was allowed: one command", async () => {
  const { sent, release } = world({});
  expect(await release()).toEqual({ kind: "done" });
  expect(sent).toEqual(["scontrol release 7"]);
});

describe("what begins a recovery, and nothing else,", () => {
  const commands: readonly Command[] = [{ kind: "requeue-hold", isRunning: false }, { kind: "cancel" }];
  const stops: [
    what: string,
    parts: Parameters<typeof world>[0],
    forMs: Parameters<ReturnType<typeof world>["begin"]>[1],
    detail: string,
  ][] = [
    ["is not sent after the lease has run out", {}, { leaseUntil: 8 }, "the lease has run out"],
    ["is not sent on orders of people that were read too long ago", {}, { ordersUntil: 8 }, "read too long ago"],
    [
      "is not sent when the kill switch was turned on a moment ago",
      { whyStopped: () => "the kill switch is on" },
      {},
      "kill switch",
    ],
  ];
  test.each(stops)("%s", async (_what, parts, forMs, detail) => {
    for (const command of commands) {
      const { sent, begin } = world({ ...parts, readMs: 8 });
      expect(await begin(command, forMs)).toMatchObject({
        kind: "moved",
        detail: expect.stringContaining(detail) as string,
      });
      expect(sent).toEqual([]);
    }
    const { sent, begin } = world({ ...parts, readMs: 8 });
    expect(await begin({ kind: "release" }, forMs)).toEqual({ kind: "done" });
    expect(sent).toEqual(["scontrol release 7"]);
  });

  test("is sent before that", async () => {
    const { sent, begin } = world({ readMs: 8 });
    for (const command of commands) await begin(command, { leaseUntil: 9, ordersUntil: 9 });
    expect(sent).toHaveLength(2);
  });
});

describe("nothing is sent", () => {
  const moves: [what: string, parts: Parameters<typeof world>[0], detail: RegExp][] = [
    [
      "when the restart count moved",
      { read: answer("7|7|N/A|PENDING|2|1795964365|0|\n") },
      /^restart count is 2, expected 1$/,
    ],
    [
      "when the restart count fell back",
      { read: answer("7|7|N/A|FAILED|0|1795964365|0|\n") },
      /^restart count is 0, expected 1$/,
    ],
    [
      "when the submit time is another",
      { read: answer("7|7|N/A|PENDING|1|1795964366|0|\n") },
      /^submit time is 1795964366, expected 1795964365$/,
    ],
    [
      "when the state is not allowed",
      { read: answer("7|7|N/A|COMPLETING|1|1795964365|0|\n") },
      /^state is COMPLETING, expected PENDING or FAILED$/,
    ],
    [
      "when only another task is shown",
      { read: answer("97|7|1|PENDING|1|1795964365|0|\n") },
      /^Slurm shows 0 rows of job 7$/,
    ],
    ["when nothing is shown", { read: answer("") }, /^Slurm shows 0 rows of job 7$/],
    ["when it is shown twice", { read: answer(row + row) }, /^Slurm shows 2 rows of job 7$/],
    [
      "when the read failed",
      { read: answer("", 1, "slurm_load_jobs error: Unable to contact slurm controller") },
      /could not be read, nothing was sent: rc 1/,
    ],
    ["when the read had rc 0 and an error", { read: answer(row, 0, "squeue: error: oops") }, /could not be read/],
    ["when the read is too old", { readMs: limits.readAgeMaxMs + 1 }, /^the job was read 2001 ms ago/],
    [
      "when the lease term is higher",
      { level: () => ({ leaseTerm: 5, epoch: 0 }) },
      /^lease term is 5, the command has 4$/,
    ],
    ["when the epoch is higher", { level: () => ({ leaseTerm: 4, epoch: 2 }) }, /^epoch is 2, the command has 1$/],
    [
      "when the fence cannot be read",
      {
        level: () => {
          throw new Refusal("unavailable", "no fence");
        },
      },
      /^no fence$/,
    ],
  ];
  test.each(moves)("%s", async (_what, parts, detail) => {
    const { sent, release } = world(parts);
    expect(await release()).toEqual({ kind: "moved", detail: expect.stringMatching(detail) });
    expect(sent).toEqual([]);
  });

  test("when Slurm does not know the job", async () => {
    const { sent, release } = world({ read: answer("", 1, "slurm_load_jobs error: Invalid job id specified\n") });
    expect(await release()).toMatchObject({ kind: "refused", code: "gone" });
    expect(sent).toEqual([]);
  });
});

describe("what else the plan depended on", () => {
  const planned: Partial<Expected> = { isHeld: true, excludedNodes: ["n3", "n2"] };
  test("is as the plan saw it: it is sent", async () => {
    expect(await world({}).release(planned)).toEqual({ kind: "done" });
    expect(await world({ excluded: answer("7|N/A|(null)\n") }).release({ excludedNodes: [] })).toEqual({
      kind: "done",
    });
  });
  // biome-ignore format: a table.
  const others: [what: string, parts: Parameters<typeof world>[0], expected: Partial<Expected>, detail: RegExp][] = [
    ["an exclusion was taken away",   { excluded: answer("7|N/A|n2\n") }, planned, /^excluded nodes are n2, expected n3, n2$/],
    ["all of them",                   { excluded: answer("7|N/A|\n") }, planned, /^excluded nodes are none, expected n3, n2$/],
    ["one was added",                 { excluded: answer("7|N/A|n[2-4]\n") }, planned, /^excluded nodes are n\[2-4\]/],
    ["they belong to another task",   { excluded: answer("7|1|n[2-3]\n") }, planned, /could not be read/],
    ["they cannot be read",           { excluded: answer("", 1, "squeue: error: oops") }, planned, /could not be read, nothing was sent/],
    ["it is not held any more",       { read: answer("7|7|N/A|PENDING|1|1795964365|5|\n") }, planned, /^priority is 5, expected 0$/],
    ["somebody holds it",             {}, { isHeld: false }, /^priority is 0, expected another than 0$/],
  ];
  test.each(others)("nothing is sent when %s", async (_what, parts, expected, detail) => {
    const { sent, release } = world(parts);
    expect(await release(expected)).toEqual({ kind: "moved", detail: expect.stringMatching(detail) });
    expect(sent).toEqual([]);
  });
});

test("an equal or a lower level, or none, lets it pass", async () => {
  for (const level of [undefined, { leaseTerm: 4, epoch: 1 }, { leaseTerm: 1, epoch: 0 }]) {
    expect(await world({ level: () => level }).release()).toEqual({ kind: "done" });
  }
});

test("what Slurm says to the command is the outcome", async () => {
  expect(await world({ said: answer("", 1, "Job has already finished for job 7\n") }).release()).toMatchObject({
    kind: "refused",
    code: "already-finished",
  });
  expect(await world({ said: answer("", 1, "Unexpected message received for job 7\n") }).release()).toMatchObject({
    kind: "unknown",
  });
  expect(await world({ said: { stdout: "", stderr: "", timedOut: true } }).release()).toEqual({
    kind: "unknown",
    detail: "no answer within the limit",
  });
});

describe("several at once", () => {
  const orderFor = (jobId: string, change: Partial<Expected> = {}) => ({
    command: { kind: "release" } as const,
    fence: { ...fence, expected: { ...fence.expected, jobId, ...change } },
  });
  const rowOf = (jobId: string, restartCount = 1) => `${jobId}|${jobId}|N/A|PENDING|${restartCount}|1795964365|0|\n`;

  /** Every command takes `eachMs`; what ran at the same time is counted. */
  function world(rows: string, eachMs = 0) {
    const clock = new FakeClock();
    const [asked, sent]: [string[], string[]] = [[], []];
    const count = { now: 0, most: 0 };
    const run: Deps["run"] = async (program, args) => {
      if (program === "squeue") {
        asked.push(args[args.indexOf("-j") + 1] ?? "");
        return answer(rows);
      }
      sent.push(args.at(-1) ?? "");
      count.most = Math.max(count.most, ++count.now);
      await clock.sleep(eachMs);
      count.now--;
      return answer("");
    };
    return {
      deps: { run, clock, env: {}, readFence: () => undefined, whyStopped: () => undefined },
      clock,
      asked,
      sent,
      count,
    };
  }

  async function outcomesOf({ deps, clock }: ReturnType<typeof world>, orders: readonly ReturnType<typeof orderFor>[]) {
    const outcomes: (Outcome["kind"] | undefined)[] = orders.map(() => undefined);
    let isOver = false;
    const all = sendAll(deps, orders, (i, { kind }) => void (outcomes[i] = kind)).then(() => (isOver = true));
    while (!isOver) await clock.advance(5);
    await all;
    return outcomes;
  }

  test("they are read for together, and each is judged by itself", async () => {
    const slurm = world(rowOf("7") + rowOf("8", 2) + rowOf("9"));
    expect(await outcomesOf(slurm, [orderFor("7"), orderFor("8"), orderFor("9"), orderFor("10")])).toEqual([
      "done",
      "moved",
      "done",
      "moved",
    ]);
    expect([slurm.asked, slurm.sent]).toEqual([["7,8,9,10"], ["7", "9"]]);
  });

  test("not more of them than allowed are under way, and those whose read is too old by then are not sent", async () => {
    const names = Array.from({ length: 20 }, (_, i) => String(100 + i));
    const slurm = world(names.map((name) => rowOf(name)).join(""), limits.readAgeMaxMs / 2 + 50);
    const outcomes = await outcomesOf(
      slurm,
      names.map((name) => orderFor(name)),
    );
    expect(slurm.count.most).toBe(limits.commandsAtOnceMax);
    // Two rounds begin while the read is young.
    expect(outcomes.filter((kind) => kind === "done")).toHaveLength(2 * limits.commandsAtOnceMax);
    expect(new Set(outcomes)).toEqual(new Set(["done", "moved"]));
    expect(slurm.sent).toEqual(names.slice(0, slurm.sent.length));
  });
});
