/**
 * Goal    what is asked for is text of Prometheus with bounded labels, in which nothing stands that is not known; it is served to whoever
 *         may reach the port, and a port that is taken stops nobody.
 * Method  a registry of its own in each test; a real listener on loopback.
 */
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createMetrics } from "./metrics.ts";
import { serveMetrics } from "./metrics-listener.ts";
import { measuredPort } from "./measured-port.ts";
import { fakeLife } from "./testing/fake-life.ts";

const lines = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

test("a counter is there from the beginning, and a value that nobody listed is another one", async () => {
  const metrics = createMetrics(fakeLife().log);
  const count = metrics.count({ name: "reprise_a_total", help: "A.", labels: { kind: ["x", "y"] } });
  count.add({ kind: "x" });
  count.add({ kind: "job 17" }, 2);
  expect(lines(await metrics.text())).toEqual([
    'reprise_a_total{kind="x"} 1',
    'reprise_a_total{kind="y"} 0',
    'reprise_a_total{kind="other"} 2',
  ]);
});

test("what was never set is absent, with labels and without", async () => {
  const metrics = createMetrics(fakeLife().log);
  metrics.level({ name: "reprise_b", help: "B.", labels: {} });
  metrics.level({ name: "reprise_c", help: "C.", labels: { kind: ["x"] } });
  metrics.spread({ name: "reprise_d_seconds", help: "D.", labels: {}, buckets: [1] });
  expect(lines(await metrics.text())).toEqual([]);
});

test("a source that fails takes its values away and says so; it is back when it answers again", async () => {
  const life = fakeLife();
  const metrics = createMetrics(life.log);
  const level = metrics.level({ name: "reprise_b", help: "B.", labels: {} });
  let isAway = false;
  metrics.source("records", [level], () => {
    if (isAway) throw new Error("away");
    level.set({}, 7);
  });
  const seen = ["reprise_b 7", 'reprise_metrics_source_up{source="records"} 1'];
  expect(lines(await metrics.text()).sort()).toEqual(seen);
  isAway = true;
  expect(lines(await metrics.text())).toEqual(['reprise_metrics_source_up{source="records"} 0']);
  expect(life.lines).toMatchObject([{ level: "warn", fields: { source: "records" } }]);
  isAway = false;
  expect(lines(await metrics.text()).sort()).toEqual(seen);
});

test("two registries of one process know nothing of each other", async () => {
  const [one, two] = [createMetrics(fakeLife().log), createMetrics(fakeLife().log)];
  one.count({ name: "reprise_a_total", help: "A.", labels: {} }).add({});
  two.count({ name: "reprise_a_total", help: "A.", labels: {} });
  expect(lines(await one.text())).toEqual(["reprise_a_total 1"]);
  expect(lines(await two.text())).toEqual(["reprise_a_total 0"]);
});

test("it is served at /metrics and nowhere else", async () => {
  const life = fakeLife();
  const metrics = createMetrics(life.log);
  metrics.count({ name: "reprise_a_total", help: "A.", labels: {} });
  const listener = serveMetrics(metrics, { host: "127.0.0.1", port: 0 }, life);
  onTestFinished(() => listener.close());
  const url = await listener.url;
  const answer = await fetch(url);
  expect(answer.headers.get("content-type")).toContain("text/plain; version=0.0.4");
  expect(await answer.text()).toContain("reprise_a_total 0");
  expect((await fetch(url, { method: "POST" })).status).toBe(404);
  expect((await fetch(url.replace("/metrics", "/"))).status).toBe(404);
});

test("a port that is taken is told once, and used as soon as it is free", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const life = fakeLife();
  const listener = serveMetrics(createMetrics(life.log), { host: "127.0.0.1", port }, life);
  onTestFinished(() => listener.close());
  await expect.poll(() => life.lines.map(({ level }) => level)).toEqual(["warn"]);
  taken.close();
  await once(taken, "close");
  await expect
    .poll(async () => {
      await life.clock.advance(15_000);
      return life.lines.map(({ level }) => level);
    })
    .toEqual(["warn", "info"]);
  expect((await fetch(await listener.url)).status).toBe(200);
});

test("a measured port does what the port does, and tells how long and how", async () => {
  const life = fakeLife();
  const port = {
    ask: async (n: number) => {
      if (n < 0) throw new Error("no");
      return n + 1;
    },
    close: () => "closed",
  };
  const told: unknown[] = [];
  const measured = measuredPort(port, ["ask"], life.clock, (...one) => void told.push(one));
  expect(await measured.ask(1)).toBe(2);
  await expect(measured.ask(-1)).rejects.toThrow("no");
  expect(measured.close()).toBe("closed");
  expect(told).toEqual([
    ["ask", 0, { value: 2 }],
    ["ask", 0, undefined],
  ]);
});
