/**
 * Goal    whoever offers a span never waits; a receiver that is away costs room, not time; what is lost is counted.
 * Method  a sender whose answers are the test's, on a clock that it moves.
 */
import { limits } from "@reprise/core/limits.ts";
import { expect, test } from "vitest";
import { type Sent, type Span, startSpanQueue } from "./spans.ts";
import { fakeLife } from "./testing/fake-life.ts";
import { settle } from "./testing/fake-clock.ts";

const span = (name: string): Span => ({
  traceId: "1563685736b656d686eb27cbcf602983",
  spanId: "00f067aa0ba902b7",
  service: "reprise-server",
  name,
  startAt: 0,
  endAt: 1,
  attributes: {},
});
const many = (count: number) => Array.from({ length: count }, (_, i) => span(`${i}`));
const away: Sent = { kind: "away", why: "ECONNREFUSED" };

async function started(answer: () => Sent | Promise<Sent>) {
  const life = fakeLife();
  const calls: string[][] = [];
  const queue = startSpanQueue(async (spans) => {
    calls.push(spans.map(({ name }) => name));
    return await answer();
  }, life);
  await life.clock.untilSleeping();
  return { life, calls, queue };
}

test("offered spans are sent once, in their order, in batches", async () => {
  const { life, calls, queue } = await started(() => ({ kind: "taken" }));
  queue.offer(many(300));
  expect(calls).toEqual([]);
  await life.clock.advance(2_000);
  expect(calls.map((names) => names.length)).toEqual([256, 44]);
  expect(calls.flat()).toEqual(many(300).map(({ name }) => name));
  expect(queue.standing()).toEqual({ queued: 0, sent: 300, dropped: 0 });
  life.end();
  await queue.end();
  expect(calls).toHaveLength(2);
});

test("while the receiver is away spans wait, the newest that have no room are dropped and counted, and the log says it once", async () => {
  let answer: Sent = away;
  const { life, calls, queue } = await started(() => answer);
  queue.offer(many(limits.spanQueueMax - 1));
  queue.offer([span("last"), span("none")]);
  await life.clock.advance(10 * 60_000);
  expect(queue.standing()).toEqual({ queued: limits.spanQueueMax, sent: 0, dropped: 1 });
  expect(calls.length).toBeLessThanOrEqual(41); // Every 15 s.
  answer = { kind: "taken" };
  await life.clock.advance(60_000);
  expect(queue.standing()).toEqual({ queued: 0, sent: limits.spanQueueMax, dropped: 1 });
  expect(calls.at(-1)?.at(-1)).toBe("last");
  expect(life.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    "warn the receiver of traces is away",
    "info the receiver of traces answers again",
  ]);
});

test("what is refused is not sent again, and the next ones are", async () => {
  let answer: Sent = { kind: "refused", why: "400" };
  const { life, calls, queue } = await started(() => answer);
  queue.offer([span("a")]);
  await life.clock.advance(1_000);
  answer = { kind: "taken" };
  queue.offer([span("b")]);
  await life.clock.advance(1_000);
  expect(calls).toEqual([["a"], ["b"]]);
  expect(queue.standing()).toEqual({ queued: 0, sent: 1, dropped: 1 });
});

test("at the end one last call is made, and a receiver that hangs delays the end by two seconds at most", async () => {
  const { life, calls, queue } = await started(() => ({ kind: "taken" }));
  queue.offer([span("last")]);
  life.end();
  await queue.end();
  expect(calls).toEqual([["last"]]);

  const hanging = await started(() => new Promise(() => undefined));
  hanging.queue.offer([span("lost")]);
  await hanging.life.clock.advance(1_000);
  hanging.life.end();
  let isOver = false;
  const over = hanging.queue.end().then(() => (isOver = true));
  await hanging.life.clock.advance(1_999);
  await settle();
  expect(isOver).toBe(false);
  await hanging.life.clock.advance(1);
  await over;
  expect(hanging.queue.standing()).toMatchObject({ queued: 0, dropped: 1 });
});
