/**
 * Goal    what a stopping server has accepted is there when it comes back, and an idempotency key is known then, too.
 * Method  one folder, two servers after each other; plain HTTP, as a caller would.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startAlone } from "./testing/alone.ts";

const dataDir = mkdtempSync(join(tmpdir(), "audit-"));
const path = "/v1/audit/events";

async function served<T>(ask: (http: (path: string, body?: object) => Promise<Response>) => Promise<T>): Promise<T> {
  const { ready, token, stop } = await startAlone({ dataDir });
  const headers = { authorization: `Bearer ${token}` };
  const answer = await ask((asked, body) =>
    fetch(`${ready.http}${asked}`, { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) }),
  );
  await stop();
  return answer;
}

test("accepted, stopped, started again: stored, and stored once", { timeout: 60_000 }, async () => {
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const items = Array.from({ length: 700 }, (_, i) => ({
    eventProducer: "tool",
    eventType: "thing",
    idempotencyKey: `k${i}`,
    eventProducedAt: `${i}`,
  }));
  const first = await served((http) => http(path, { items }));
  expect(first.status).toBe(200);
  const second = await served(async (http) => {
    await http(path, { items: [...items, { eventProducer: "tool", eventType: "last" }] });
    return http(path);
  });
  expect(second.status).toBe(200);
  const counts = await served(async (http) => {
    const found: string[] = [];
    for (let cursor = ""; ; ) {
      const { items: page, cursor: next } = (await (
        await http(`${path}?eventProducer=tool&cursor=${cursor}`)
      ).json()) as { items: { eventType: string }[]; cursor: { next?: string } };
      found.push(...page.map(({ eventType }) => eventType));
      if (next.next === undefined) return found;
      cursor = next.next;
    }
  });
  expect(counts.filter((type) => type === "thing")).toHaveLength(700);
  expect(counts.filter((type) => type === "last")).toHaveLength(1);
});
