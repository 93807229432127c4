/**
 * Goal    one recovery is one trace, from the root line over SAC's steps to the confirmation and the run that followed: each span once,
 *         at the time at which it was, however often the server is started again and however many replicas there are.
 * Method  the store in memory, a real receiver of OTLP/HTTP; after each thing that happens the server that tells is another one.
 */
import { sequenceIdOf, spanIdOf, traceparentOf } from "@reprise/core/sequence/sequence.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { otlpSender } from "@reprise/runtime/otlp.ts";
import type { Span } from "@reprise/runtime/spans.ts";
import { otlpReceiver } from "@reprise/runtime/testing/otlp-receiver.ts";
import { expect, onTestFinished, test } from "vitest";
import { createMemoryStore } from "../store/memory/memory-store.ts";
import {
  converged,
  crash,
  decided,
  failed,
  hour,
  issue,
  noon,
  pass,
  report,
  restart,
  s,
  settleDecisions,
  signals,
  status,
  terminate,
} from "../store/testing/world.ts";
import { traceOnce } from "./trace-once.ts";

function world() {
  const store = createMemoryStore();
  const offered: Span[] = [];
  /** Two servers that were just started look, one after the other. @returns What is told now. */
  const tell = async (at: Instant) => {
    const before = offered.length;
    const clock = { now: () => at, elapsed: () => at, sleep: () => Promise.resolve() };
    for (const handle of [store.replica(), store.replica()])
      await traceOnce({ store: handle, clock }, { offer: (spans) => void offered.push(...spans) });
    return offered.slice(before).map((span) => {
      const [from, to] = [(span.startAt - noon) / s, (span.endAt - noon) / s];
      return `${span.service} ${span.name} ${from}–${to}${span.failure === undefined ? "" : ` ${span.failure}`}`;
    });
  };
  return { store, offered, tell };
}

const advised = restart(["n1"], { issues: [issue] });
const done = { jobId: "7", attemptIndex: 0, generation: 1, outcome: "done", detail: "" };

async function crashed(store: ReturnType<typeof createMemoryStore>) {
  const job = await store.upsertJob(report("7", 0, failed), noon);
  await store.recordSignals(signals(crash(job)), noon + 61 * s);
  await decided(store, job, advised, noon + 66 * s);
  return job;
}

test("a recovery is told span by span, by whichever server lives then, with the times of the records", async () => {
  const { store, offered, tell } = world();
  const job = await crashed(store);
  const { heimdallJobId } = job;
  expect(await tell(noon + 67 * s)).toEqual(["reprise-watcher detect 60–61", "reprise-server decide 61–66"]);
  const begun = { ...done, heimdallJobId, key: "a", action: "requeue-hold", begunAt: noon + 67 * s };
  const ended = { ...begun, endedAt: noon + 68 * s };
  await store.reportPass(pass(noon + 67 * s, { steps: [{ ...begun, outcome: "" }] }), noon);
  expect(await tell(noon + 80 * s)).toEqual([]);
  const release = {
    ...done,
    heimdallJobId,
    key: "b",
    action: "release",
    begunAt: noon + 69 * s,
    endedAt: noon + 70 * s,
  };
  await store.reportPass(pass(noon + 81 * s, { steps: [ended, release] }), noon);
  expect(await tell(noon + 100 * s)).toEqual(["reprise-sac requeue-hold 67–68", "reprise-sac release 69–70"]);
  // The server was away for an hour: the times are those at which it was.
  await store.upsertJob(report("7", 1), noon + 75 * s);
  await store.observeStatus(heimdallJobId, status(1, { ...converged, observedAt: noon + 79 * s }), noon + 80 * s);
  expect(await tell(noon + hour)).toEqual([
    "reprise-server recovery restart 60–79",
    "reprise-sac confirm 70–79",
    "slurm start 70–75",
  ]);
  await store.upsertJob(report("7", 1, { status: "COMPLETED", jmState: "COMPLETED" }), noon + 5 * hour);
  expect(await tell(noon + 6 * hour)).toEqual(["slurm run 75–18000"]);
  expect(await tell(noon + 9 * hour)).toEqual([]);
  expect(await store.claimTraces({ from: noon, limit: 9, claimMs: 1 }, noon + 100 * hour)).toEqual([]);

  const id = sequenceIdOf(heimdallJobId, "RESTART");
  const [, traceId, rootId] = traceparentOf(id).split("-");
  expect(new Set(offered.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(new Set(offered.map(({ spanId }) => spanId)).size).toBe(offered.length);
  const [root, ...more] = offered.filter(({ parentId }) => parentId !== rootId);
  expect(more).toEqual([]);
  expect(root).toMatchObject({
    spanId: rootId,
    attributes: {
      "reprise.job": "7",
      "reprise.attempt": 0,
      "reprise.outcome": "restarted",
      "reprise.excluded_nodes": ["n1"],
    },
  });
});

test("a receiver of OTLP shows the trace with each part's name", async () => {
  const { store, offered, tell } = world();
  await crashed(store);
  await tell(noon + 67 * s);
  const receiver = await otlpReceiver();
  onTestFinished(() => receiver.close());
  expect(await (await otlpSender(`${receiver.url}/v1/traces`))(offered)).toEqual({ kind: "taken" });
  expect(receiver.spans.map(({ service, name, attributes }) => [service, name, attributes])).toEqual([
    ["reprise-watcher", "detect", {}],
    ["reprise-server", "decide", { "reprise.sentence": advised.sentence }],
  ]);
});

test("what is given up, withdrawn, expired or replaced ends its trace when it did, and only the first has failed", async () => {
  const { store, tell } = world();
  const roots = async (at: Instant) => (await tell(at)).filter((line) => line.includes("recovery"));
  const job = await crashed(store);
  const gone = { disposition: "ABANDONED", reason: "TARGET_GONE", message: "gone" } as const;
  await store.observeStatus(job.heimdallJobId, status(1, { ...gone, observedAt: noon + 90 * s }), noon + 90 * s);
  expect(await roots(noon + 91 * s)).toEqual(["reprise-server recovery restart 60–90 TARGET_GONE: gone"]);

  const other = await store.upsertJob(report("8", 0, failed), noon);
  await decided(store, other, restart(), noon + 100 * s);
  await decided(store, other, terminate(), noon + 110 * s);
  expect(await roots(noon + 111 * s)).toEqual(["reprise-server recovery restart 100–110"]);
  const expiresAt = (noon + 24 * hour - noon) / s;
  expect(await roots(noon + 25 * hour)).toEqual([`reprise-server recovery terminate 110–${expiresAt}`]);
  await settleDecisions(store, noon + 25 * hour);
});

test("a step that was refused has failed; of one that was cut off nobody knows the end, and its beginning is told", async () => {
  const { store, tell } = world();
  const { heimdallJobId } = await crashed(store);
  await tell(noon + 67 * s);
  const begun = { ...done, heimdallJobId, action: "requeue-hold", begunAt: noon + 67 * s };
  const cut = { ...begun, key: "a", outcome: "" };
  const refused = { ...begun, key: "b", endedAt: noon + 72 * s, outcome: "refused", detail: "denied" };
  await store.reportPass(pass(noon + 73 * s, { steps: [cut, refused] }), noon);
  expect(await tell(noon + 80 * s)).toEqual(["reprise-sac requeue-hold 67–72 denied"]);
  await store.observeStatus(heimdallJobId, status(1, { ...converged, observedAt: noon + 90 * s }), noon + 90 * s);
  await tell(noon + 91 * s);
  expect(await tell(noon + hour)).toEqual(["reprise-sac requeue-hold 67–67"]);
});

test("another controller's steps are told from its milestones, when it is over", async () => {
  const { store, tell } = world();
  const { heimdallJobId } = await crashed(store);
  const id = sequenceIdOf(heimdallJobId, "RESTART");
  await tell(noon + 67 * s);
  const milestone = { idempotencyKey: "m1", action: "SLURM_REQUEUE_HOLD", completedAt: noon + 70 * s } as const;
  await store.recordMilestone(id, "RESTART", milestone);
  await store.observeStatus(heimdallJobId, status(1, { ...converged, observedAt: noon + 79 * s }), noon + 80 * s);
  expect(await tell(noon + 90 * s)).not.toContain("controller requeue-hold 70–70");
  expect(await tell(noon + hour)).toEqual(["controller requeue-hold 70–70"]);
  expect(spanIdOf(id, "step/m1")).toMatch(/^[0-9a-f]{16}$/);
});
