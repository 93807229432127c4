/**
 * run-exchange: sends one exchange's request and says what does not fit its answer.
 *
 * Takes   what earlier exchanges captured; adds what this one captures.
 * Bound   an `eventually` is asked again for 60 s (a busy machine decides late).
 */
import { systemClock } from "@reprise/runtime/clock.ts";
import type { Answer, Ask } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { fit } from "./expected.ts";
import { fill } from "./fill.ts";

const eventuallyMs = 60_000;
const askAgainMs = 100;

export async function runExchange(
  exchange: Exchange,
  ask: Ask,
  known: Map<string, string>,
): Promise<readonly string[]> {
  for (let n = 0; n < exchange.times; n++) {
    known.set("n", String(n));
    const misfits = await askUntilItFits(exchange, ask, known);
    if (misfits.length > 0) return misfits;
  }
  return [];
}

async function askUntilItFits(exchange: Exchange, ask: Ask, known: Map<string, string>): Promise<readonly string[]> {
  const until = systemClock.now() + (exchange.isEventual ? eventuallyMs : 0);
  for (;;) {
    const answer = await ask({
      method: exchange.method,
      target: fill(exchange.target, known),
      headers: exchange.headers,
      body: fill(exchange.body, known),
    });
    const { misfits, captured } = judge(exchange, answer, known);
    if (misfits.length > 0 && systemClock.now() < until) {
      await systemClock.sleep(askAgainMs);
      continue;
    }
    for (const [name, value] of captured) known.set(name, value);
    return misfits;
  }
}

function judge(exchange: Exchange, answer: Answer, known: ReadonlyMap<string, string>) {
  const { misfits, captured } =
    exchange.answer === ""
      ? { misfits: [], captured: new Map<string, string>() }
      : fit(JSON.parse(fill(exchange.answer, known)), answer.body);
  const status = answer.status === exchange.status ? [] : [`status: expected ${exchange.status}, got ${answer.status}`];
  const headers = Object.entries(answer.headers === undefined ? {} : exchange.answerHeaders).flatMap(
    ([name, value]) => {
      const { misfits: wrong } = fit(fill(value, known), answer.headers?.get(name));
      return wrong.map((what) => `header ${name} ${what}`);
    },
  );
  return { misfits: [...status, ...headers, ...misfits], captured };
}
