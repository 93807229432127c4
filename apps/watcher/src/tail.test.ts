/**
 * Goal    a file is given line by line with exact offsets, and its end is said only when it is one.
 * Method  one tail over a file in memory, pass by pass.
 */
import { expect, test } from "vitest";
import { createMemorySource } from "./source/memory/memory-source.ts";
import { type LogSource, NotNow } from "./source/source.ts";
import { createChunk } from "./lines.ts";
import { Tail } from "./tail.ts";

/** Open logs have no answer yet while `isSlow`. */
function slowly(source: LogSource, isSlow: () => boolean): LogSource {
  return {
    ...source,
    open(path) {
      const opened = source.open(path);
      if (opened.kind !== "open") return opened;
      const look = () => {
        if (isSlow()) throw new NotNow();
        return opened.log.look();
      };
      return { kind: "open", log: { ...opened.log, look } };
    },
  };
}

/** Open logs show for ever what they were when they were opened. */
function cached(source: LogSource): LogSource {
  return {
    ...source,
    open(path) {
      const opened = source.open(path);
      if (opened.kind !== "open") return opened;
      const look = opened.log.look();
      const read = (into: Uint8Array, offset: number) =>
        opened.log.read(into.subarray(0, Math.max(0, look.size - offset)), offset);
      return { kind: "open", log: { look: () => look, read, close: opened.log.close } };
    },
  };
}

/** Something happens between the look at a file and a long read of it. */
function meanwhile(source: LogSource, happens: () => void): LogSource {
  return {
    ...source,
    open(path) {
      const opened = source.open(path);
      if (opened.kind !== "open") return opened;
      const { log } = opened;
      const read = (into: Uint8Array, offset: number) => {
        if (into.length > 1_000) happens();
        return log.read(into, offset);
      };
      return { kind: "open", log: { ...log, read } };
    },
  };
}

function tailWorld(through: (source: LogSource) => LogSource = (source) => source) {
  const world = {
    slow: false,
    now: 100_000,
    ended: false,
    shared: undefined as boolean | undefined,
    lines: [] as string[],
    most: Number.POSITIVE_INFINITY,
  };
  const source = createMemorySource({ now: () => world.now });
  const begin = { path: "/l", isNamedAfterJob: true, appeared: false };
  const tail = new Tail(
    slowly(through(source), () => world.slow),
    begin,
    createChunk(),
  );
  const target = () => ({
    heimdallJobId: "a",
    attemptIndex: 0,
    startedAt: 90_000,
    shared: world.shared,
    ended: world.ended,
  });
  const pass = (afterMs = 225) => {
    world.now += afterMs;
    let taken = 0;
    return tail.pass(world.now, target(), {
      take(line) {
        world.lines.push(
          `${line.offset} ${Buffer.from(line.bytes.subarray(line.from, line.to)).toString().slice(0, 20)}`,
        );
        return ++taken < world.most;
      },
    });
  };
  return { world, source, tail, pass, position: (heldAt?: number) => tail.position(target(), heldAt) };
}

test("each line is given once with the offset of its first byte", () => {
  const { world, source, pass } = tailWorld();
  source.append("/l", "ä one\r\n\ntwo\nthr");
  pass();
  source.append("/l", "ee\n");
  pass();
  pass();
  expect(world.lines).toEqual(["0 ä one", "9 two", "13 three"]);
});

test("a pass that has had enough goes on after that line", () => {
  const { world, source, pass } = tailWorld();
  world.most = 2;
  source.append("/l", "1\n2\n3\n");
  expect([pass(), pass()]).toEqual([true, false]);
  expect(world.lines).toEqual(["0 1", "2 2", "4 3"]);
});

test("more than one chunk is read in several passes, without a gap", () => {
  const { world, source, pass } = tailWorld();
  const line = `${"x".repeat(999_999)}\n`;
  source.append("/l", line.repeat(5));
  while (pass());
  expect(world.lines.map((l) => l.split(" ")[0])).toEqual(["0", "1000000", "2000000", "3000000", "4000000"]);
});

test("growth between two looks at an ended file is read before its end is said", () => {
  const { world, source, tail, pass } = tailWorld();
  source.append("/l", "one\n");
  world.ended = true;
  pass();
  source.append("/l", "late\n");
  pass();
  expect(tail.isDone).toBe(false);
  pass();
  expect([tail.isDone, world.lines]).toEqual([true, ["0 one", "4 late"]]);
});

test("the end of a file is believed only when it was opened once more: a file system may show an old size for seconds", () => {
  const { world, source, tail, pass } = tailWorld(cached);
  source.append("/l", "1\n");
  pass();
  source.append("/l", "Traceback\nKeyError\n"); // Written by a host that has ended meanwhile; nothing shows it here.
  world.ended = true;
  for (let i = 0; i < 8; i++) pass();
  expect(world.lines).toEqual(["0 1", "2 Traceback", "12 KeyError"]);
  expect(tail.isDone).toBe(true);
});

test("two looks that are too close prove nothing", () => {
  const { world, source, tail, pass } = tailWorld();
  source.append("/l", "one\n");
  world.ended = true;
  pass();
  pass(199);
  expect(tail.isDone).toBe(false);
});

test("a position does not pass a line that was read and not yet told", () => {
  const { source, pass, position } = tailWorld();
  source.append("/l", "one\ntwo\nthree\n");
  pass();
  const [at4, atEnd] = [position(4), position()];
  expect([at4?.offset, atEnd?.offset, at4?.mark === atEnd?.mark]).toEqual([4, 14, false]);
});

test("a moment in which a shared file system shows an old size costs nothing", () => {
  const { world, source, pass, position } = tailWorld();
  source.append("/l", "one\n");
  pass();
  position();
  source.truncate("/l");
  pass();
  source.append("/l", "one\ntwo\n");
  pass();
  expect(world.lines).toEqual(["0 one", "4 two"]);
});

test("a file that was emptied and has grown beyond what was read, between two looks, is not read on in the middle", () => {
  const { world, source, tail, pass, position } = tailWorld();
  source.append("/l", "one\n");
  pass();
  const before = position();
  source.truncate("/l");
  source.append("/l", "the next attempt's\n");
  pass(26_000);
  expect([world.lines, position()]).toEqual([["0 one"], before]);
  world.ended = true;
  pass();
  expect([world.lines, tail.isDone]).toEqual([["0 one"], true]);
});

test("a file that is emptied and grows beyond what was read, between the look and the read, is not read on in the middle", () => {
  let happens = () => {};
  const { world, source, tail, pass, position } = tailWorld((s) => meanwhile(s, () => happens()));
  source.append("/l", "one\n");
  pass();
  const before = position();
  source.append("/l", "two\n");
  happens = () => {
    source.truncate("/l");
    source.append("/l", "the next attempt's\nand more\n");
    happens = () => {};
  };
  pass();
  pass();
  expect(world.lines).toEqual(["0 one"]);
  expect(position()).toMatchObject({ offset: before?.offset, mark: before?.mark });
  world.ended = true;
  pass();
  expect([world.lines, tail.isDone]).toEqual([["0 one"], true]);
});

test("an end in a log that was emptied and not read again is told, where no start empties it: what it says may still be this attempt's", () => {
  for (const shared of [true, undefined]) {
    const { world, source, tail, pass, position } = tailWorld();
    world.shared = shared;
    source.append("/l", "one\n");
    pass();
    source.truncate("/l");
    source.append("/l", "an error\n");
    pass();
    world.ended = true;
    pass();
    expect([tail.isDone, position()?.unreadable !== undefined]).toEqual([true, shared === true]);
  }
});

test("a running program that has emptied its log, grown since, is read from its beginning", () => {
  const { world, source, pass } = tailWorld();
  source.append("/l", "one\n");
  pass();
  source.truncate("/l");
  source.append("/l", "anew and longer\n");
  pass();
  pass(30_000);
  pass();
  expect(world.lines).toEqual(["0 one", "0 anew and longer"]);
});

test("a file that cannot be read any more is said to be, and found again", () => {
  const { world, source, tail, pass, position } = tailWorld();
  source.refuse("/l", "ESTALE");
  pass();
  expect(position()).toMatchObject({ unreadable: "ESTALE" });
  source.refuse("/l", undefined);
  source.append("/l", "one\n");
  pass();
  expect([position()?.unreadable, world.lines, tail.isDone]).toEqual([undefined, ["0 one"], false]);
});

test("an attempt that is over does not wait for ever for a file that cannot be read", () => {
  const { world, source, tail, pass, position } = tailWorld();
  source.refuse("/l", "EIO");
  world.ended = true;
  pass();
  pass(4_900);
  expect(tail.isDone).toBe(false);
  pass();
  expect(position()).toMatchObject({ ended: true, unreadable: "EIO" });
});

test("a file system that has not answered changes nothing, not even what is known of the end", () => {
  const { world, source, pass, position } = tailWorld();
  source.append("/l", "one\n");
  pass();
  const before = position();
  source.append("/l", "two\n");
  world.slow = true;
  pass();
  expect(position()).toEqual(before);
  world.slow = false;
  pass();
  expect(world.lines).toEqual(["0 one", "4 two"]);
});
