/**
 * Goal    over HTTP, too, who comes back with `Last-Event-ID` gets what he missed, and a stream shows that it lives.
 * Method  a real connection to the doors of a server, whose clock the test moves.
 */
import { limits } from "@reprise/core/limits.ts";
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { expect, onTestFinished, test } from "vitest";
import { noon, report } from "../manager/store/testing/world.ts";
import { openGateway, ownersToken } from "./testing/gateway.ts";

/** `comes` gives everything that came, once it holds `until`. */
async function watch(http: string, lastEventId?: string) {
  const hangUp = new AbortController();
  onTestFinished(() => hangUp.abort());
  const response = await fetch(`${http}/reprise/v1/watch`, {
    headers: {
      authorization: `Bearer ${ownersToken}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
    signal: hangUp.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const comes = async (until: string): Promise<string> => {
    while (!text.includes(until)) text += (await reader?.read())?.value ?? "";
    return text;
  };
  return { comes, hangUp: () => hangUp.abort() };
}

test("who comes back gets what he missed; who was never there, or was with another server, is told to read anew", async () => {
  const { http, store } = await openGateway();
  const first = await watch(http);
  const begun = await first.comes("\n\n");
  expect(begun).toMatch(/^id: \S+\ndata: \{"kind":"anew",/);
  first.hangUp();
  const missed = await store.upsertJob(report("1"), noon);
  const again = await watch(http, /^id: (\S+)/.exec(begun)?.[1]);
  const told = await again.comes('"job"');
  expect(told).toContain('"kind":"resumed"');
  expect(told).toContain(missed.heimdallJobId);
  const { http: elsewhere } = await openGateway();
  expect(await (await watch(elsewhere, /^id: (\S+)/.exec(begun)?.[1])).comes("\n\n")).toContain('"kind":"anew"');
});

test("a stream in which nothing changes shows that it lives", async () => {
  const clock = new FakeClock();
  const { http } = await openGateway({ clock });
  const { comes } = await watch(http);
  await comes("\n\n");
  await clock.advance(limits.streamBeatMs);
  expect(await comes("\n:\n\n")).toMatch(/\n\n:\n\n$/);
});
