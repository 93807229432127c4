/**
 * Goal    a receiver of OTLP gets the spans as they are; what it will take later and what it never will are told apart.
 * Method  a real HTTP receiver on loopback that reads the body as the specification says; its answers are the test's.
 */
import { expect, onTestFinished, test } from "vitest";
import { otlpSender } from "./otlp.ts";
import type { Span } from "./spans.ts";
import { otlpReceiver } from "./testing/otlp-receiver.ts";

const root: Span = {
  traceId: "1563685736b656d686eb27cbcf602983",
  spanId: "00f067aa0ba902b7",
  service: "reprise-server",
  name: "recovery restart",
  startAt: 1_795_953_600_001,
  endAt: 1_795_953_613_250,
  attributes: { "reprise.job": "7", "reprise.attempt": 0, "reprise.excluded_nodes": ["n1", "n2"] },
  failure: "NO_SUCH_JOB: gone",
};
const child: Span = {
  ...root,
  spanId: "53995c3f42cd8ad8",
  parentId: root.spanId,
  service: "reprise-sac",
  name: "release",
};

test("spans come as they are: IDs, parents, milliseconds, who did it, and why it failed", async () => {
  const receiver = await otlpReceiver();
  onTestFinished(() => receiver.close());
  const send = await otlpSender(`${receiver.url}/v1/traces`);
  const { failure: _, ...done } = child;
  expect(await send([root, done])).toEqual({ kind: "taken" });
  expect(receiver.calls).toEqual(["POST /v1/traces application/json"]);
  const { traceId } = root;
  const times = { startTimeUnixNano: "1795953600001000000", endTimeUnixNano: "1795953613250000000" };
  const { attributes } = root;
  expect(receiver.spans).toMatchObject([
    { traceId, spanId: root.spanId, name: root.name, service: "reprise-server", attributes, ...times },
    { traceId, parentSpanId: root.spanId, name: "release", service: "reprise-sac", attributes, ...times },
  ]);
  expect(receiver.spans[0]?.parentSpanId).toBeUndefined();
  expect(receiver.spans.map(({ status }) => status)).toEqual([{ code: 2, message: root.failure }, { code: 0 }]);
});

test("what is refused for good is told apart from a receiver that is away", async () => {
  const receiver = await otlpReceiver();
  onTestFinished(() => receiver.close());
  const send = await otlpSender(`${receiver.url}/v1/traces`);
  receiver.status = 400;
  expect(await send([root])).toMatchObject({ kind: "refused", why: expect.stringContaining("400") as string });
  receiver.status = 503;
  expect(await send([root])).toMatchObject({ kind: "away" });
  receiver.status = 200;
  expect(await send([root])).toEqual({ kind: "taken" });
  expect(receiver.spans).toHaveLength(1);
});
