/**
 * Goal    `diagnose` says of a log what it recognises and what would follow, of cases whether they are as expected, and says no
 *         to what it cannot read.
 * Method  the command with a fake console; logs in a temporary folder; the watcher's own cases.
 */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { describe, expect, onTestFinished, test } from "vitest";
import { Failure } from "../failure.ts";
import { fakeConsole } from "../testing/fake-console.ts";
import { define } from "./diagnose.ts";

const cases = fileURLToPath(new URL("../../../watcher/src/testdata/cases/", import.meta.url));

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "reprise-diagnose-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** @returns what was written, and the exit code that the process would have. */
async function diagnose(
  args: readonly string[],
  dir = "/",
): Promise<{ out: string; err: string; code: number | string }> {
  const console = fakeConsole({}, dir);
  const command = new Command("diagnose").exitOverride().configureOutput({ writeErr: console.err });
  define(command, console);
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await command.parseAsync(args, { from: "user" });
    return { out: console.outText(), err: console.errText(), code: process.exitCode ?? 0 };
  } finally {
    process.exitCode = before;
  }
}

describe("of a log", () => {
  const log = [
    "world_size=16",
    ...Array.from({ length: 9 }, (_, n) => `2025-03-01 10:00:0${n} step ${n + 1} loss 2.1`),
    "2025-03-01 10:01:00 [rank11]: Traceback (most recent call last):",
    '2025-03-01 10:01:00 [rank11]:   File "t.py", line 4',
    "2025-03-01 10:01:00 [rank11]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
    "2025-03-01 10:01:09 srun: error: n2: task 1: Exited with exit code 1",
  ].join("\n");

  test("it names the root with its file and byte, the node, the steps and what would follow", async () => {
    const dir = folder();
    writeFileSync(join(dir, "a.log"), log);
    const { out } = await diagnose(["a.log", "--nodes", "n[1-2]", "--gpus-per-node", "8"], dir);
    expect(out).toContain("crash, hardware on n2");
    expect(out).toContain("steps 1 to 9");
    expect(out.replaceAll(/\s+/g, "")).toContain(`(${join(dir, "a.log")},byte`);
    expect(out).toContain("cuda-ecc-uncorrectable");
    expect(out).toContain("Restart without n2");
  });

  test("as an object it has every signal", async () => {
    const dir = folder();
    writeFileSync(join(dir, "a.log"), log);
    const said = JSON.parse((await diagnose(["a.log", "--nodes", "n1,n2", "--gpus-per-node", "8", "--json"], dir)).out);
    expect(said).toMatchObject({ kind: "crash", domain: "hardware", next: "restart", exclude: ["n2"] });
    expect(said.signals.map((s: { cause: string }) => s.cause)).toEqual(["cuda-ecc-uncorrectable", "srun-exit"]);
  });

  test("of several files the earliest line is the root, whichever file it is in", async () => {
    const dir = folder();
    writeFileSync(join(dir, "err"), "2025-03-01 10:05:00 [rank3]: KeyError: 'x'\n");
    writeFileSync(join(dir, "out"), "2025-03-01 10:04:00 [rank9]: ValueError: first\n");
    const said = JSON.parse((await diagnose(["err", "out", "--json"], dir)).out);
    expect(said.evidence).toContain("ValueError: first");
  });

  test("a job that completed has nothing to explain", async () => {
    const dir = folder();
    writeFileSync(join(dir, "a.log"), log);
    const said = JSON.parse((await diagnose(["a.log", "--state", "COMPLETED", "--json"], dir)).out);
    expect(said).toMatchObject({ kind: "completed", next: "none", evidence: null });
  });

  test("a line of more than a megabyte is cut, and it says so", async () => {
    const dir = folder();
    writeFileSync(join(dir, "a.log"), `${"x".repeat(1_100_000)}\n[rank3]: KeyError: 'x'\n`);
    const { err, out } = await diagnose(["a.log"], dir);
    expect(err).toContain("cut 1 times into a line of more than 1048576 bytes");
    expect(out).toContain("KeyError");
  });
});

describe("with the logs of nodes", () => {
  const job = [
    ...Array.from({ length: 9 }, (_, n) => `2025-03-01 10:00:0${n} step ${n + 1} loss 2.1`),
    "2025-03-01 10:01:00 [rank11]: RuntimeError: CUDA error: unspecified launch failure",
  ].join("\n");
  const xid = (time: string, node = "n2") =>
    `${time} ${node} kernel: NVRM: Xid (PCI:0000:44:00): 79, pid=1, GPU fell off`;
  const said = async (nodeLog: string, ...args: string[]) => {
    const dir = folder();
    writeFileSync(join(dir, "a.log"), job);
    writeFileSync(join(dir, "messages"), nodeLog);
    const nodes = ["--nodes", "n1,n2", "--gpus-per-node", "8"];
    return await diagnose(["a.log", "--node-log", "n2=messages", "--json", ...nodes, ...args], dir);
  };

  test("a kernel explains what the program only suffered", async () => {
    expect(JSON.parse((await said(xid("Mar  1 10:00:59"))).out)).toMatchObject({
      domain: "hardware",
      exclude: ["n2"],
      signals: expect.arrayContaining([expect.objectContaining({ cause: "xid-fatal", nodes: ["n2"] })]),
    });
  });

  test("what it said before the job began, or long after it, accuses nobody", async () => {
    const { out } = await said([xid("Mar  1 09:59:59"), xid("Mar  1 10:30:00")].join("\n"));
    expect(JSON.parse(out)).toMatchObject({ domain: "workload", exclude: [] });
  });

  test("lines without a time are counted, and count for nothing", async () => {
    const { out, err } = await said(
      `[ 812.1] NVRM: Xid (PCI:0000:44:00): 79, pid=1\n${xid("Mar  1 10:00:59", "n2")}\n`,
    );
    expect(JSON.parse(out)).toMatchObject({ exclude: ["n2"] });
    expect(err).toContain("1 lines of nodes show no time");
  });

  test("nothing is guessed where the job's own log shows no times, or of a node that is not its own", async () => {
    const dir = folder();
    writeFileSync(join(dir, "a.log"), "step 1 loss 2\n");
    writeFileSync(join(dir, "messages"), xid("Mar  1 10:00:59"));
    await expect(diagnose(["a.log", "--node-log", "n2=messages"], dir)).rejects.toThrow("show no times");
    await expect(diagnose(["a.log", "--nodes", "n1", "--node-log", "n2=messages"], dir)).rejects.toThrow(
      "n2 is not one",
    );
  });
});

describe("of silence", () => {
  const step = (hour: number, minute: number, n: number) =>
    `2025-03-01 ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}:00 step ${n} loss 2.1`;
  const steps = Array.from({ length: 30 }, (_, n) => step(10, n, n + 1));
  const end =
    "2025-03-01 14:00:00 slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2025-03-01T14:00:00 DUE TO TIME LIMIT ***";
  const said = async (lines: readonly string[], ...args: string[]) => {
    const dir = folder();
    writeFileSync(join(dir, "a.log"), lines.join("\n"));
    return (await diagnose(["a.log", ...args], dir)).out;
  };

  test("that lies between two lines is judged where they show their times", async () => {
    const out = JSON.parse(await said([...steps, end], "--json"));
    expect(out).toMatchObject({ kind: "hang", judgesSilence: true });
    expect(await said([...steps, end])).toContain("judged between the times");
    expect(JSON.parse(await said(steps, "--json")).signals).toEqual([]);
  });

  test("is not judged, and that is said, where lines show none", async () => {
    const bare = steps.map((line) => line.slice("2025-03-01 10:00:00 ".length));
    expect(JSON.parse(await said([...bare, end], "--json"))).toMatchObject({ judgesSilence: false });
    expect(await said([...bare, end])).toContain("not judged: too few lines show their time");
  });
});

describe("of cases", () => {
  test("each is one line of JSON with the keys of the format", async () => {
    const { out } = await diagnose([join(cases, "A01.yaml"), join(cases, "A05a.yaml"), "--json"]);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect(lines[0]).toEqual({
      id: "A01",
      kind: "crash",
      domain: "hardware",
      next: "restart",
      exclude: ["node-b"],
      charged: false,
      evidence: "[rank11]: RuntimeError: CUDA error: uncorrectable ECC error encountered",
      because: expect.stringContaining("node-b"),
    });
    expect(lines[1]).toMatchObject({ id: "A05a", kind: "none", next: "none", charged: null, evidence: null });
  });

  test("a check that fails is counted, and is the exit code", async () => {
    const dir = folder();
    const wrong =
      "id: W\njob: {nodes: [node-a], gpusPerNode: 1}\nattempts: [{log: [[1, KeyError]], end: null, lookAt: 2}]\nexpect: {kind: crash, domain: workload, next: restart, exclude: []}\n";
    writeFileSync(join(dir, "w.yaml"), wrong);
    const { out, code } = await diagnose([join(cases, "A01.yaml"), "w.yaml", "--check"], dir);
    expect(out).toContain('kind is "none", expected "crash"');
    expect(out.endsWith("1 passed, 1 failed\n")).toBe(true);
    expect(code).toBe(1);
  });

  test("a case that cannot be read is refused with the place of the mistake", async () => {
    const dir = folder();
    writeFileSync(
      join(dir, "w.yaml"),
      "id: W\njob: {nodes: node-a, gpusPerNode: 1}\nattempts: [{log: [], end: null, lookAt: 2}]\n",
    );
    await expect(diagnose(["w.yaml"], dir)).rejects.toThrow(`job.nodes is "node-a"; expected a list`);
  });
});

describe("it is refused", () => {
  test("to mix cases and logs", async () => {
    await expect(diagnose([join(cases, "A01.yaml"), "a.log"])).rejects.toThrow(Failure);
  });
  test("to read what is not there", async () => {
    await expect(diagnose(["not-there.log"], folder())).rejects.toThrow("cannot be read");
  });
});
