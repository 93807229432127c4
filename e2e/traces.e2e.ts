/**
 * Goal    a recovery on a real Slurm is one trace at a receiver of OTLP, also when the server dies in its middle: each span once, and
 *         at the time at which it was.
 * Method  a receiver in this process, named by the flag that docs/monitoring.md shows; the server is killed once the requeue is known.
 */
import { sequenceIdOf, traceIdOf } from "@reprise/core/sequence/sequence.ts";
import { otlpReceiver, type OtlpReceiver, type ReceivedSpan } from "@reprise/runtime/testing/otlp-receiver.ts";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { blocksFor } from "./documents/blocks-for.ts";
import { acting, startWorld, stuckOnce, type World } from "./world/world.ts";

let receiver: OtlpReceiver;
let world: World;
beforeAll(async () => {
  receiver = await otlpReceiver();
  const [command = ""] = blocksFor(import.meta.url)
    .flatMap(typedIn)
    .map((typed) => typed.command);
  const [, , ...flags] = command.replace("http://127.0.0.1:4318", receiver.url).split(" ");
  world = await startWorld({ flags: [...acting, ...flags] });
});
afterAll(async () => {
  await world?.stop();
  await receiver?.close();
});

const ms = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1_000_000n);

test("root line, decision, SAC's steps, confirmation and the run after it are one trace, over the death of the server", async () => {
  const begunAt = Date.now();
  const id = await world.submit(stuckOnce("sleep 8; echo ok"));
  await world.until("the requeue to be known", async () =>
    (await world.attempt(id, 0))?.steps?.some(({ action, outcome }) => action === "requeue-hold" && outcome === "done"),
  );
  for (const pid of world.pidsOf("server")) process.kill(pid, "SIGKILL");
  const named = () => receiver.spans.find(({ attributes }) => attributes["reprise.job"] === id);
  const root = await world.until("the recovery to be told", () => Promise.resolve(named()), 90_000);
  const trace = root.traceId;
  const spans = (): readonly ReceivedSpan[] => receiver.spans.filter(({ traceId }) => traceId === trace);
  await world.until("the run to be told", () => Promise.resolve(spans().some(({ name }) => name === "run")), 90_000);

  const attempt = (await world.jobs(id))[0]?.heimdallJobId ?? "";
  expect(trace).toBe(traceIdOf(sequenceIdOf(attempt, "RESTART")));
  const names = spans().map(({ service, name }) => `${service} ${name}`);
  expect(names.filter((name) => name.startsWith("reprise-sac")).toSorted()).toEqual(
    expect.arrayContaining([
      "reprise-sac confirm",
      "reprise-sac release",
      "reprise-sac requeue-hold",
      "reprise-sac update-constraints",
    ]),
  );
  expect(names).toEqual(
    expect.arrayContaining(["reprise-watcher detect", "reprise-server decide", "slurm start", "slurm run"]),
  );
  const ids = spans().map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);

  expect(root.parentSpanId).toBeUndefined();
  expect(root).toMatchObject({ name: "recovery restart", attributes: { "reprise.outcome": "restarted" } });
  for (const span of spans()) {
    if (span !== root) expect(span.parentSpanId).toBe(root.spanId);
    const [from, to] = [ms(span.startTimeUnixNano), ms(span.endTimeUnixNano)];
    expect(from, span.name).toBeGreaterThan(begunAt - 5_000);
    expect(to, span.name).toBeGreaterThanOrEqual(from);
    expect(to, span.name).toBeLessThanOrEqual(Date.now());
  }
});
