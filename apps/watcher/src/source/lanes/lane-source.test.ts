/**
 * Goal    real files keep the contract of a log source; what would block is never opened; what hangs holds nobody else.
 * Method  the contract's suite in a fresh folder; a FIFO; a thread that hangs on some files until a gate opens, under a clock that
 *         the test moves. The waits are real and as long as the lane's patience.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sourceContract } from "../source.contract.ts";
import { type LogSource, NotNow, type OpenLog } from "../source.ts";
import { createLaneSource, startThread } from "./lane-source.ts";
import { mountOf, mountsIn } from "./mounts.ts";

const root = mkdtempSync(join(tmpdir(), "reprise-lane-source-"));
const parts = {
  startThread: () => startThread(new URL("./lane-thread.main.ts", import.meta.url), {}),
  mountinfo: () => "",
  patienceMs: 20_000, // However busy the machine is.
};
const source = createLaneSource({ ...parts, clock: { elapsed: () => performance.now() } });
const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
  source.close();
  rmSync(root, { recursive: true });
});

sourceContract(() => ({
  source,
  folder: mkdtempSync(join(root, "world-")),
  refresh: () => source.refresh!(),
  append(path, text) {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, text);
  },
  truncate: (path) => truncateSync(path),
  rename: renameSync,
}));

test("a FIFO is unreadable and does not block", () => {
  const path = join(root, "fifo");
  execFileSync("mkfifo", [path]);
  expect(source.open(path)).toEqual({ kind: "unreadable", why: `${path} is not a regular file` });
});

test("a device is unreadable", () => {
  expect(source.open("/dev/null").kind).toBe("unreadable");
});

/** Two mounts; a file with `hung` in its name hangs to open, one with `late` once it is open. */
function hangingWorld() {
  const folder = mkdtempSync(join(root, "hanging-"));
  const gate = new Int32Array(new SharedArrayBuffer(4));
  for (const mount of ["a", "b"]) {
    mkdirSync(join(folder, mount));
    for (const name of ["hung", "late", "good"]) writeFileSync(join(folder, mount, name), `${name}\n`);
  }
  const world = { now: 0 };
  const lanes = createLaneSource({
    clock: { elapsed: () => world.now },
    startThread: () => startThread(new URL("./hanging-thread.main.ts", import.meta.url), { gate }),
    mountinfo: () =>
      `1 0 8:1 / / rw - ext4 x rw\n2 1 8:2 / ${folder}/a rw - nfs x rw\n3 1 8:3 / ${folder}/b rw - nfs x rw\n`,
    patienceMs: 50,
  });
  ends.push(() => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
    lanes.close();
  });
  const pass = async (afterMs: number) => {
    world.now += afterMs;
    await lanes.refresh!();
  };
  const release = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return { lanes, pass, release, at: (name: string) => join(folder, name) };
}

/** What is known in the end, under a clock that stands still. */
async function known<T>(pass: (ms: number) => Promise<void>, ask: () => T): Promise<T> {
  for (;;) {
    try {
      return ask();
    } catch (error) {
      if (!(error instanceof NotNow)) throw error;
      await pass(0);
    }
  }
}

const open = (source: LogSource, path: string): OpenLog => {
  const opened = source.open(path);
  if (opened.kind !== "open") throw new Error(`${path} is ${opened.kind}`);
  return opened.log;
};
const read = (log: OpenLog) => {
  const into = Buffer.alloc(100);
  return into.toString("utf8", 0, log.read(into, 0));
};

// Threads are started: on a busy machine that takes seconds.
describe("a call that hangs", { timeout: 60_000 }, () => {
  test("is nothing known at first, then an unreadable file; the files beside it are read again", async () => {
    const { lanes, pass, at } = hangingWorld();
    await pass(0);
    expect(() => lanes.open(at("a/hung"))).toThrow(NotNow);
    expect(() => lanes.open(at("a/good"))).toThrow(NotNow);
    expect(await known(pass, () => read(open(lanes, at("b/good"))))).toBe("good\n");
    await pass(5_000);
    expect(lanes.open(at("a/hung"))).toMatchObject({ kind: "unreadable", why: expect.stringContaining("5 s") });
    expect(await known(pass, () => read(open(lanes, at("a/good"))))).toBe("good\n");
  });

  test("in a sweep is told from the files around it, which are opened anew", async () => {
    const { lanes, pass, at } = hangingWorld();
    await pass(0);
    const good = await known(pass, () => open(lanes, at("a/good")));
    const late = await known(pass, () => open(lanes, at("a/late")));
    await pass(225);
    expect(() => good.look()).toThrow(NotNow);
    await pass(5_000);
    expect(() => late.look()).toThrow("not answered for 5 s");
    expect(() => good.look()).toThrow("opened anew");
    good.close();
    expect(await known(pass, () => read(open(lanes, at("a/good"))))).toBe("good\n");
  });

  test("that returns after all gives its file back, and the descriptor of an open nobody waited for", async () => {
    const { lanes, pass, release, at } = hangingWorld();
    await pass(0);
    expect(() => lanes.open(at("a/hung"))).toThrow(NotNow);
    await pass(5_000);
    const before = openDescriptors(at("a/hung"));
    release();
    await expect.poll(async () => (await pass(1), lanes.open(at("a/hung")).kind), { timeout: 30_000 }).toBe("open");
    await pass(1);
    await pass(1);
    expect([before, openDescriptors(at("a/hung"))]).toEqual([0, 1]);
  });

  test("more often than three times on one file system leaves all of it unreadable, and that alone", async () => {
    const { lanes, pass, at } = hangingWorld();
    for (let n = 0; n < 4; n++) {
      writeFileSync(at(`a/hung${n}`), "");
      await pass(0);
      expect(() => lanes.open(at(`a/hung${n}`))).toThrow(NotNow);
      await pass(5_000);
    }
    expect(lanes.open(at("a/good"))).toMatchObject({
      kind: "unreadable",
      why: expect.stringContaining("4 calls hang"),
    });
    expect((await known(pass, () => open(lanes, at("b/good")))).look().size).toBe(5);
  });
});

function openDescriptors(path: string): number {
  const links = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return links.filter((link) => link === path).length;
}

test("a file that is opened once more for a moment goes on being looked at with all the others, by no call of its own", async () => {
  const path = join(root, "twice");
  writeFileSync(path, "a\n");
  let now = 0;
  const lanes = createLaneSource({ ...parts, clock: { elapsed: () => now } });
  ends.push(() => void lanes.close());
  const [tail, again] = [open(lanes, path), open(lanes, path)];
  again.close();
  now += 2_000;
  await lanes.refresh!();
  renameSync(path, `${path}.1`);
  expect(lanes.look(path).kind).toBe("seen"); // As the sweep has seen it.
  tail.close();
  expect(lanes.look(path).kind).toBe("absent");
});

test("bytes that came with a sweep are those of the file, and its end is the end", async () => {
  const path = join(root, "ahead.log");
  writeFileSync(path, "one\ntwo\n");
  const log = open(source, path);
  log.expect?.(4, Number.NEGATIVE_INFINITY);
  appendFileSync(path, "three\n");
  await source.refresh!();
  const into = Buffer.alloc(100);
  expect([into.toString("utf8", 0, log.read(into, 4)), log.read(into, 14), log.look().size]).toEqual([
    "two\nthree\n",
    0,
    14,
  ]);
  log.close();
});

test("a path belongs to the longest mount point that it begins with", () => {
  const mounts = mountsIn("1 0 8:1 / / rw\n2 1 8:2 / /data rw\n3 1 8:3 / /data/my\\040set rw\n");
  const of = (path: string) => mountOf(path, mounts);
  expect([of("/x"), of("/data/a"), of("/database"), of("/data/my set/a")]).toEqual(["/", "/data", "/", "/data/my set"]);
});
