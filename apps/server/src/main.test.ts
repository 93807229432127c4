/**
 * Goal    the server, whole, on its embedded database: operations 1–8 on both transports, the token, and honest refusals.
 * Method  one server on free ports in a folder of its own; plain HTTP exchanges and a gRPC client, as a caller would.
 */
import { statSync } from "node:fs";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { createRpcClient } from "@reprise/protocol/grpc.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ServerReady } from "./config.ts";
import { startServer } from "./main.ts";
import { type Alone, startAlone } from "./testing/alone.ts";

/** How long the server says that it stops, is the last test's to decide. */
const notice = Promise.withResolvers<void>();
const drainNoticeMs = 54_321;
const clock = {
  now: () => systemClock.now(),
  elapsed: () => systemClock.elapsed(),
  sleep: (ms: number, signal?: AbortSignal) => (ms === drainNoticeMs ? notice.promise : systemClock.sleep(ms, signal)),
};
let alone: Alone;
let ready: ServerReady;
let token = "";
beforeAll(async () => {
  alone = await startAlone({ drainNoticeMs }, clock);
  ({ ready, token } = alone);
}, 30_000);
afterAll(() => {
  notice.resolve();
  return alone.stop();
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

async function http(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = { authorization: `Bearer ${token}` },
): Promise<Answer> {
  const response = await fetch(`${ready.http}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
  };
}

const publish = (jobId: string, more: object = {}) =>
  http("POST", "/v1/jobs", {
    workflowId: "w/1",
    jobId,
    attemptIndex: 0,
    jobName: "train",
    allocatedNodes: ["n1", "n2"],
    state: "JOB_STATUS_RUNNING",
    ...more,
  });

describe("what it tells of itself", () => {
  test("metrics are told inside, without a token, and to nobody outside", async () => {
    await publish("metrics-1");
    expect((await http("GET", "/v1/jobs", undefined, {})).status).toBe(401);
    const answer = await fetch(`${ready.internalHttp}/metrics`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
    const text = await answer.text();
    expect(text).toMatch(
      /^reprise_server_call_seconds_count\{rpc="HeimdallService\/CreateOrUpdateJob",code="ok"\} 1$/m,
    );
    expect(text).toMatch(/^reprise_server_refused_calls_total\{pair="external",code="unauthenticated"\} 1$/m);
    expect(text).toMatch(/^reprise_jobs\{standing="not-covered"\} 1$/m);
    expect(text).toMatch(/^reprise_blind\{kind="sac-never-seen"\} 1$/m);
    expect(text).toMatch(/^reprise_audit_events_dropped_total\{how="lost"\} 0$/m);
    expect(text).toMatch(/^reprise_server_pass_seconds_count\{loop="decide",outcome="ok"\} [1-9]/m);
    expect(text).toContain("process_resident_memory_bytes");
    expect(text).not.toContain("metrics-1");
    expect((await fetch(`${ready.http}/metrics`)).status).toBe(404);
  });
});

describe("who may come in", () => {
  test("without the token nobody, with a wrong one neither", async () => {
    expect(await http("GET", "/v1/jobs", undefined, {})).toMatchObject({
      status: 401,
      body: { code: 16, details: [] },
    });
    expect((await http("GET", "/v1/jobs", undefined, { authorization: "Bearer wrong" })).status).toBe(401);
  });
  test("the token file is for its owner alone", () => {
    expect(statSync(ready.tokenFile).mode & 0o777).toBe(0o600);
  });
  test("health needs no token", async () => {
    expect((await http("GET", "/healthz", undefined, {})).status).toBe(200);
    expect(await http("GET", "/readyz", undefined, {})).toMatchObject({ status: 200, body: { ready: true } });
  });
  test("all four listeners ask for it", async () => {
    const response = await fetch(`${ready.internalHttp}/v1/jobs`);
    expect(response.status).toBe(401);
    for (const address of [ready.grpc, ready.internalGrpc]) {
      const client = createRpcClient(HeimdallService, address, { clock: systemClock });
      await expect(client.getJobs({})).rejects.toMatchObject({ code: "unauthenticated" });
      client.close();
    }
  });
  test("an insecure server refuses to listen beyond this machine", async () => {
    const open = { ...alone.config, insecure: true, http: { host: "0.0.0.0", port: 0 } };
    await expect(startServer(open, { ...fakeLife(), clock })).rejects.toThrow("http.host: 0.0.0.0 with insecure: true");
  });
});

describe("jobs", () => {
  test("are created and updated by one call; an absent field keeps what is stored", async () => {
    const created = await publish("100");
    expect(created).toMatchObject({
      status: 200,
      body: {
        job: { jobId: "100", attemptIndex: 0, state: "JOB_STATUS_RUNNING", nodes: ["n1", "n2"], jobRunId: "100-0" },
      },
    });
    expect(created.body["job"]).toMatchObject({ heimdallJobId: attemptUuid({ jobId: "100", attemptIndex: 0 }) });
    const updated = await http("POST", "/v1/jobs", {
      workflowId: "w/1",
      jobId: "100",
      attemptIndex: 0,
      state: "JOB_STATUS_FAILED",
    });
    expect(updated.body["job"]).toMatchObject({ state: "JOB_STATUS_FAILED", nodes: ["n1", "n2"], jobName: "train" });
  });
  test("are read by name, by UUID, and by scheduler ID", async () => {
    await publish("95_1-x", { attemptIndex: 2 });
    expect((await http("GET", "/v1/jobs/95_1-x-2")).body["job"]).toMatchObject({ jobId: "95_1-x", attemptIndex: 2 });
    const uuid = attemptUuid({ jobId: "95_1-x", attemptIndex: 2 });
    expect((await http("GET", `/v1/jobs/${uuid}?useHeimdallId=true`)).body["job"]).toMatchObject({ jobId: "95_1-x" });
    expect((await http("GET", "/v1/jobs/by-scheduler-id/95_1-x")).body).toMatchObject({ count: 1, nextPageToken: "" });
    expect(await http("GET", "/v1/jobs/nobody-0")).toMatchObject({ status: 404, body: { code: 5 } });
    expect(await http("GET", "/v1/jobs/nonsense")).toMatchObject({ status: 400, body: { code: 3 } });
  });
  test("are listed in pages, oldest first, by either kind of page", async () => {
    for (const n of [1, 2, 3]) await publish(`page-${n}`, { workflowId: "paged" });
    const first = await http("GET", "/v1/jobs?workflowIds=paged&limit=2");
    expect(first.body).toMatchObject({ count: 2, nextPageToken: "2" });
    const second = await http("GET", "/v1/jobs?workflowIds[]=paged&limit=2&pageNumber=2");
    expect((second.body["jobs"] as { jobId: string }[]).map((j) => j.jobId)).toEqual(["page-3"]);
    expect((await http("GET", "/v1/jobs?pageToken=1&pageNumber=1")).status).toBe(400);
    expect((await http("GET", "/v1/jobs?limit=-1")).status).toBe(400);
    expect((await http("GET", "/v1/jobs?jmState=RUNNING&completedJobs=true")).body["message"]).toContain("jmState");
  });
  test("a bad request names its field, and changes nothing", async () => {
    const bad = await publish("bad", { allocatedNodes: ["n 1"] });
    expect(bad).toMatchObject({ status: 400, body: { code: 3 } });
    expect(bad.body["message"]).toContain("allocatedNodes[0]");
    expect((await http("GET", "/v1/jobs/bad-0")).status).toBe(404);
    expect((await http("POST", "/v1/jobs", { workflowId: "w" })).status).toBe(400);
  });
  test("an unknown field is ignored and named", async () => {
    const answer = await publish("103", { notInTheContract: 1 });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("reprise-ignored-fields")).toContain("notInTheContract");
  });
});

describe("workflows and Advice", () => {
  test("a workflow ID with a slash is found by lookup", async () => {
    await publish("104");
    expect((await http("GET", "/v1/workflows:lookup?workflowId=w%2F1")).body["workflow"]).toMatchObject({
      workflowId: "w/1",
    });
    expect((await http("GET", "/v1/workflows:lookup")).status).toBe(400);
    expect((await http("GET", "/v1/workflows?limit=1")).body).toMatchObject({ count: 1 });
  });

  test("an attempt that failed gets Advice; its status is reported once and for all", async () => {
    await publish("105", {
      state: "JOB_STATUS_FAILED",
      recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE" },
    });
    const id = attemptUuid({ jobId: "105", attemptIndex: 0 });
    const advice = await eventually(async () => {
      const { body } = await http("GET", "/v1/advice?onlyActive=true");
      return (body["advice"] as { heimdallJobId: string }[]).find((a) => a.heimdallJobId === id);
    });
    expect(advice).toMatchObject({
      desiredState: "ADVICE_DESIRED_STATE_RESTARTED",
      generation: "1",
      active: true,
      because: "unexplained",
    });

    const path = `/v1/advice/${id}/reconciliation-status`;
    const status = (observedGeneration: string, disposition: string) => ({
      observedGeneration,
      disposition: `ADVICE_RECONCILIATION_DISPOSITION_${disposition}`,
      reason: "ADVICE_RECONCILIATION_REASON_DESIRED_STATE_OBSERVED",
    });
    expect((await http("PUT", path, status("2", "CONVERGED"))).body).toMatchObject({ code: 9 });
    const once = await http("PUT", path, status("1", "CONVERGED"));
    expect(once.body["advice"]).toMatchObject({ active: false, reconciliationStatus: { observedGeneration: "1" } });
    expect((await http("PUT", path, status("1", "CONVERGED"))).body).toEqual(once.body);
    const back = await http("PUT", path, status("1", "PENDING"));
    expect(back.body["advice"] ?? {}).not.toMatchObject({
      reconciliationStatus: { disposition: "ADVICE_RECONCILIATION_DISPOSITION_PENDING" },
    });
  }, 20_000);

  test("Explain tells which rules answered, and refuses unknown fields", async () => {
    await publish("106");
    const story = await eventually(async () => {
      const { body } = await http("GET", "/reprise/v1/jobs/106/explain");
      const [attempt] = (body["attempts"] ?? []) as { decision?: { because: string }; notCoveredBecause: string }[];
      return attempt?.decision === undefined ? undefined : attempt;
    });
    expect(story).toMatchObject({ covered: false, decision: { because: "not-covered" } });
    expect((await http("GET", "/reprise/v1/jobs/106/explain?nonsense=1")).body["message"]).toContain("nonsense");
  });
});

describe("honest refusals", () => {
  test("no such path, another method", async () => {
    expect((await http("GET", "/v2/nothing")).status).toBe(404);
    const other = await http("DELETE", "/v1/jobs");
    expect(other.status).toBe(405);
    expect(other.headers.get("allow")).toContain("GET");
  });
  test("a body that is no JSON, and one that is too large", async () => {
    const response = await fetch(`${ready.http}/v1/jobs`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: "{",
    });
    expect(response.status).toBe(400);
    expect((await publish("107", { jobName: "x".repeat(2 * 1024 * 1024) })).status).toBe(400);
  });
});

test("gRPC gives what HTTP gives", async () => {
  await publish("108");
  const client = createRpcClient(HeimdallService, ready.grpc, { clock: systemClock, token });
  const { job } = await client.getJob({ heimdallJobId: "108-0", useHeimdallId: false });
  expect(job).toMatchObject({ jobId: "108", attemptIndex: 0, nodes: ["n1", "n2"] });
  await expect(client.getJob({ heimdallJobId: "nobody-0" })).rejects.toMatchObject({ code: "not-found" });
  client.close();
});

/** Looks until there is an answer; the decide loop runs beside us. The test's own limit ends it. */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await systemClock.sleep(50);
  }
}

test("a server that stops says so before it stops listening, for as long as it was told", async () => {
  alone.end();
  expect(await http("GET", "/readyz", undefined, {})).toMatchObject({ status: 503, body: { ready: false } });
  expect((await http("GET", "/v1/jobs")).status).toBe(200);
  notice.resolve();
  await alone.ended;
  await expect(http("GET", "/readyz")).rejects.toThrow("fetch failed");
}, 30_000);
