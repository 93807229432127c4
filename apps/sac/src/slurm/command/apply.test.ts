/**
 * Goal    the real child, started as SAC starts it, sends what it should, or nothing; and is quick about it.
 * Method  a squeue and a scontrol of a few lines of shell, first in the child's PATH.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "@reprise/core/limits.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { afterEach, describe, expect, test } from "vitest";
import type { Command, Fence } from "../slurm.ts";
import { type ApplyDeps, createApplyAll } from "./apply.ts";
import { createRunner } from "./run.ts";

const fence: Fence = {
  expected: { jobId: "7", restartCount: 0, submitAt: 100_000, states: ["FAILED"] },
  leaseTerm: 4,
  epoch: 0,
};
const made: string[] = [];
const applyOf = (deps: ApplyDeps) => {
  const applyAll = createApplyAll(deps);
  return async (command: Command, one: Fence) => (await applyAll([{ command, fence: one }]))[0];
};
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});

/** A folder of Slurm's programs, and what scontrol was called with. */
function world({ squeue = "echo '7|7|N/A|FAILED|0|100|'", scontrol = "exit 0", clock = systemClock }) {
  const dir = mkdtempSync(join(tmpdir(), "apply-"));
  made.push(dir);
  const calls = join(dir, "calls");
  const put = (name: string, script: string) => {
    writeFileSync(join(dir, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(dir, name), 0o755);
  };
  put("squeue", squeue);
  put("scontrol", `printf "%s\\n" "$*" >>${calls}\n${scontrol}`);
  const env = { PATH: `${dir}:/usr/bin:/bin` };
  const apply = applyOf({ run: createRunner(clock), env, stateDir: dir, node: process.execPath });
  return { dir, apply, calls: () => (existsSync(calls) ? readFileSync(calls, "utf8") : "") };
}

describe("the child", () => {
  test("sends one command when Slurm shows what was planned for", async () => {
    const { apply, calls } = world({});
    expect(await apply({ kind: "requeue-hold", isRunning: true }, fence)).toEqual({ kind: "done" });
    expect(calls()).toBe("requeuehold Incomplete 7\n");
  });

  test("carries a comment through, byte for byte", async () => {
    const { apply, calls } = world({});
    const adminComment = '{"reprise":{"id":"ä"}, "o":"it\'s \\n $HOME = `x`"}';
    await apply({ kind: "mark", adminComment }, fence);
    expect(calls()).toBe(`update JobId=7 AdminComment=${adminComment}\n`);
  });

  test("sends nothing when the job has moved", async () => {
    const { apply, calls } = world({ squeue: "echo '7|7|N/A|RUNNING|1|200|'" });
    expect(await apply({ kind: "requeue-hold", isRunning: false }, fence)).toMatchObject({ kind: "moved" });
    expect(calls()).toBe("");
  });

  test("sends nothing when the lease has gone to another, or the fence is not readable", async () => {
    const { dir, apply, calls } = world({});
    writeFileSync(join(dir, "fence.json"), '{"leaseTerm":5}');
    expect(await apply({ kind: "release" }, fence)).toMatchObject({
      kind: "moved",
      detail: "lease term is 5, the command has 4",
    });
    writeFileSync(join(dir, "fence.json"), '{"leaseTerm":');
    expect(await apply({ kind: "release" }, fence)).toMatchObject({ kind: "moved" });
    expect(calls()).toBe("");
  });

  test("tells what Slurm refused", async () => {
    const { apply } = world({ scontrol: "echo 'Job is pending execution for job 7' >&2; exit 1" });
    expect(await apply({ kind: "requeue-hold", isRunning: false }, fence)).toMatchObject({
      kind: "refused",
      code: "pending",
    });
  });
});

test("a child that does not end is killed, and nobody knows what it did", async () => {
  const clock = new FakeClock();
  const dir = mkdtempSync(join(tmpdir(), "apply-"));
  made.push(dir);
  writeFileSync(join(dir, "node"), "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 });
  const apply = applyOf({
    run: createRunner(clock),
    env: { PATH: "/usr/bin:/bin" },
    stateDir: dir,
    node: join(dir, "node"),
  });
  const outcome = apply({ kind: "release" }, fence);
  await clock.untilSleeping();
  await clock.advance(limits.readAgeMaxMs + limits.commandLimitMs + 3_000);
  expect(await outcome).toEqual({ kind: "unknown", detail: "the command child did not end within 17000 ms" });
});

test("a child that dies leaves the outcome unknown, with its last words", async () => {
  const { dir } = world({});
  writeFileSync(join(dir, "node"), "#!/bin/sh\necho '{\"kind\":'; echo Killed >&2; exit 137\n", { mode: 0o755 });
  const apply = applyOf({
    run: createRunner(systemClock),
    env: { PATH: "/usr/bin:/bin" },
    stateDir: dir,
    node: join(dir, "node"),
  });
  expect(await apply({ kind: "release" }, fence)).toEqual({
    kind: "unknown",
    detail: "the command child ended with rc 137: Killed\n",
  });
});

test("a child that dies has told of those that were sent; of the others nobody knows", async () => {
  const { dir } = world({});
  const told = JSON.stringify({ order: 1, outcome: { kind: "done" } });
  writeFileSync(join(dir, "node"), `#!/bin/sh\necho '${told}'; echo '{"order":0,'; exit 137\n`, { mode: 0o755 });
  const deps = {
    run: createRunner(systemClock),
    env: { PATH: "/usr/bin:/bin" },
    stateDir: dir,
    node: join(dir, "node"),
  };
  const other = { ...fence, expected: { ...fence.expected, jobId: "8" } };
  const orders = [fence, other].map((one) => ({ command: { kind: "release" } as const, fence: one }));
  expect((await createApplyAll(deps)(orders)).map(({ kind }) => kind)).toEqual(["unknown", "done"]);
});

test("what no scheduler should be given is refused before a child is begun", async () => {
  const { apply, calls } = world({});
  const wrong: Fence = { ...fence, expected: { ...fence.expected, jobId: "1,2" } };
  await expect(apply({ kind: "release" }, wrong)).rejects.toThrow('jobId is "1,2", expected 123 or 95_1');
  expect(calls()).toBe("");
});
