/**
 * Goal    a program's end is told as it was, and its limit ends everything that it started.
 * Method  small real programs; the clock is the test's, so that nothing is waited for.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { describe, expect, test } from "vitest";
import { createRunner } from "./run.ts";

const env = { PATH: "/usr/bin:/bin", GIVEN: "this" };
const sh = (script: string, input = "") =>
  createRunner(new FakeClock())("sh", ["-c", script], { limitMs: 1_000, env, input });

describe("how a program ended", () => {
  test.each([
    [
      "its code and its words",
      "echo out; echo err >&2; exit 7",
      { rc: 7, stdout: "out\n", stderr: "err\n", timedOut: false },
    ],
    ["a signal has no code", "kill -9 $$", { stdout: "", stderr: "", timedOut: false }],
    ["only what it was given", "echo $GIVEN$HOME", { rc: 0, stdout: "this\n", stderr: "", timedOut: false }],
    ["bytes that are no UTF-8", "printf 'a\\377b'", { rc: 0, stdout: "a\ufffdb", stderr: "", timedOut: false }],
  ])("%s", async (_what, script, ended) => expect(await sh(script)).toEqual(ended));

  test("it reads its input, and need not", async () => {
    expect(await sh("cat", "hello")).toMatchObject({ rc: 0, stdout: "hello" });
    expect(await sh("exit 3", "x".repeat(10_000_000))).toMatchObject({ rc: 3 });
  });

  test("a program that is not there has no code and says so", async () => {
    const ran = await createRunner(new FakeClock())("/nonexistent/squeue", [], { limitMs: 1_000, env });
    expect(ran).toEqual({
      stdout: "",
      stderr: "/nonexistent/squeue: spawn /nonexistent/squeue ENOENT",
      timedOut: false,
    });
  });
});

test("at its limit it is killed with all that it started, and the answer does not wait for an open pipe", async () => {
  const dir = mkdtempSync(join(tmpdir(), "run-"));
  const clock = new FakeClock();
  const fifo = join(dir, "ready");
  await sh(`mkfifo ${fifo}`);
  // The grandchild holds stdout open.
  const ran = createRunner(clock)("sh", ["-c", `sleep 600 & echo $! >${fifo}; wait`], { limitMs: 1_000, env });
  const pid = Number((await sh(`cat ${fifo}`)).stdout);
  expect(isAlive(pid)).toBe(true);
  await clock.advance(1_000);
  expect(await ran).toMatchObject({ timedOut: true });
  await expect.poll(() => isAlive(pid)).toBe(false);
  rmSync(dir, { recursive: true });
});

/** Also not a zombie, whose parent has not looked yet. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
