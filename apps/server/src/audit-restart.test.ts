/**
 * Goal    what a stopping server has accepted is there when it comes back, and an idempotency key is known then, too.
 * Method  one folder, two servers after each other; plain HTTP, as a caller would.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@reprise/runtime/clock.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "./main.ts";

const dataDir = mkdtempSync(join(tmpdir(), "audit-"));
const free = { host: "127.0.0.1", port: 0 };
const listeners = { http: free, grpc: free, internalHttp: free, internalGrpc: free };
const config = { dataDir, ...listeners, tokenFile: join(dataDir, "token"), insecure: false, cluster: "default" };
const path = "/v1/audit/events";

async function served<T>(ask: (http: (path: string, body?: object) => Promise<Response>) => Promise<T>): Promise<T> {
  const end = new AbortController();
  const { ready, ended } = await startServer(config, { ...fakeLife(), clock: systemClock, signal: end.signal });
  const headers = { authorization: `Bearer ${readFileSync(ready.tokenFile, "utf8").trim()}` };
  const answer = await ask((asked, body) =>
    fetch(`${ready.http}${asked}`, { headers, ...(body && { method: "POST", body: JSON.stringify(body) }) }),
  );
  end.abort();
  await ended;
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
