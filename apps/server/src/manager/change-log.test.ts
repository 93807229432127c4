/**
 * Goal    whoever comes back is told what he missed, or that it is not known; nobody goes on as if there had been nothing.
 * Method  a store that only tells; small stories, and readers that leave and come back at any moment.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createChangeLog, type Told } from "./change-log.ts";
import type { Change } from "./store.ts";

function telling() {
  const listeners = new Set<(change: Change) => void>();
  const log = createChangeLog({
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const tell = (heimdallJobId: string, kind: Change["kind"] = "job") => {
    for (const listener of listeners) listener({ kind, heimdallJobId });
  };
  return { log, tell, listeners };
}

const forEver = new AbortController().signal;
/** The next `count` that are told; each must be there already. */
async function next(stream: AsyncGenerator<Told, void, undefined>, count: number): Promise<readonly Told[]> {
  const told: Told[] = [];
  while (told.length < count) told.push((await stream.next()).value as Told);
  return told;
}
const words = (told: readonly Told[]) => told.map(({ kind, heimdallJobId }) => `${kind} ${heimdallJobId}`.trim());

test("who comes for the first time reads everything; then hears each change; and who comes back gets what he missed", async () => {
  const { log, tell, listeners } = telling();
  const first = log.follow("", forEver);
  expect(words(await next(first, 1))).toEqual(["anew"]);
  tell("a");
  tell("b");
  const [a] = await next(first, 2);
  tell("c");
  const again = log.follow(a?.eventId ?? "", forEver);
  expect(words(await next(again, 3))).toEqual(["resumed", "job b", "job c"]);
  expect(listeners.size).toBe(1);
});

test("who missed nothing is told that, and nothing else", async () => {
  const { log, tell } = telling();
  const [{ eventId } = { eventId: "" }] = await next(log.follow("", forEver), 1);
  const again = log.follow(eventId, forEver);
  expect(words(await next(again, 1))).toEqual(["resumed"]);
  const waiting = again.next();
  tell("a");
  expect(words([(await waiting).value as Told])).toEqual(["job a"]);
});

test.each(["other.0", "0", ".", "x.y.z", "a".repeat(10_000), "-1"])(
  "an ID that is none of its own, such as %s, is one that it does not know",
  async (id) => {
    const { log } = telling();
    expect(words(await next(log.follow(id, forEver), 1))).toEqual(["anew"]);
  },
);

test("an ID that is still to come is not known", async () => {
  const { log } = telling();
  const [{ eventId } = { eventId: "" }] = await next(log.follow("", forEver), 1);
  expect(words(await next(log.follow(eventId.replace(/0$/, "1"), forEver), 1))).toEqual(["anew"]);
});

test("who reads too slowly, or was away for too many, reads anew; and then goes on", async () => {
  const { log, tell } = telling();
  const slow = log.follow("", forEver);
  const [{ eventId } = { eventId: "" }] = await next(slow, 1);
  for (let i = 0; i < 1_001; i++) tell(String(i));
  expect(words(await next(slow, 1))).toEqual(["anew"]);
  expect(words(await next(log.follow(eventId, forEver), 1))).toEqual(["anew"]);
  tell("last");
  expect(words(await next(slow, 1))).toEqual(["job last"]);
});

test("where the store itself has missed some, everybody reads anew, also who comes back", async () => {
  const { log, tell } = telling();
  const there = log.follow("", forEver);
  await next(there, 1);
  tell("a");
  const [{ eventId } = { eventId: "" }] = await next(there, 1);
  tell("", "anew");
  tell("b");
  expect(words(await next(there, 1))).toEqual(["anew"]);
  expect(words(await next(log.follow(eventId, forEver), 1))).toEqual(["anew"]);
});

test("it ends when its reader goes", async () => {
  const { log } = telling();
  const gone = new AbortController();
  const stream = log.follow("", gone.signal);
  await next(stream, 1);
  const waiting = stream.next();
  gone.abort();
  expect(await waiting).toEqual({ done: true, value: undefined });
});

test("however one leaves and comes back, each change is heard, or everything is read after it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("tell", "read", "leave", "miss"), { maxLength: 60 }), async (acts) => {
      const { log, tell } = telling();
      let stream = log.follow("", forEver);
      let eventId = "";
      let told = 0;
      let seen = 0; // The newest change that the page shows.
      const read = async () => {
        const { kind, heimdallJobId, eventId: id } = (await stream.next()).value as Told;
        eventId = id;
        if (kind === "anew") seen = told;
        else if (kind !== "resumed") {
          expect(Number(heimdallJobId)).toBe(seen + 1);
          seen++;
        }
      };
      await read();
      for (const act of acts) {
        if (act === "tell") tell(String(++told));
        if (act === "miss") {
          told++;
          tell("", "anew");
        }
        if (act === "leave") {
          stream = log.follow(eventId, forEver);
          await read();
        }
        if (act === "read" && seen < told) await read();
      }
      while (seen < told) await read();
    }),
  );
});
