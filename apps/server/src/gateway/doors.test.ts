/**
 * Goal    which token opens which pair of listeners, what a caller may not do too often or too long, and that a server that stops
 *         leaves nobody without an answer.
 * Method  the doors of a real server on loopback over a store in memory; the clock is moved by the test where time matters.
 */
import { Agent, request } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { limits } from "@reprise/core/limits.ts";
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { createRpcClient } from "@reprise/protocol/grpc.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { report } from "../manager/store/testing/world.ts";
import type { Service } from "./services.ts";
import { call, openGateway, ownersToken } from "./testing/gateway.ts";
import { audience, startIssuer } from "./testing/issuer.ts";

const jobs = "/v1/jobs";
function heimdall(address: string, token: string) {
  const client = createRpcClient(HeimdallService, address, { clock: systemClock, token });
  onTestFinished(() => client.close());
  return client;
}

/** The real services, but for one method. */
const instead = (name: string, handler: (signal: AbortSignal) => unknown) => (real: readonly Service[]) =>
  real.map((service) => ({
    ...service,
    handlerOf: (method: Parameters<Service["handlerOf"]>[0]) =>
      method.name === name
        ? (((_request, { signal }) => handler(signal)) as ReturnType<Service["handlerOf"]>)
        : service.handlerOf(method),
  }));

describe("which token opens which door", () => {
  test("the owner's opens both pairs, until there is an identity provider: then the internal one only", async () => {
    const plain = await openGateway();
    expect((await call(plain.http + jobs, ownersToken)).status).toBe(200);
    const issuer = await startIssuer();
    const oidc = { issuer: issuer.url, audiences: [audience], rolesClaim: "roles", roleOf: {}, clockSkewMs: 0 };
    const guarded = await openGateway({ config: { oidc } });
    expect((await call(guarded.http + jobs, ownersToken)).status).toBe(401);
    expect((await call(guarded.internalHttp + jobs, ownersToken)).status).toBe(200);
    const jwt = await issuer.sign(systemClock.now());
    expect((await call(guarded.http + jobs, jwt)).status).toBe(200);
    await expect(heimdall(guarded.grpc, jwt).getJobs({})).resolves.toMatchObject({ count: 0 });
    expect((await call(guarded.http + jobs, await guarded.tokenOf("viewer"))).status).toBe(200);
  });

  test("an insecure server asks nobody", async () => {
    const { http, grpc } = await openGateway({ config: { insecure: true } });
    expect((await call(http + jobs, undefined)).status).toBe(200);
    expect((await call(http + jobs, "whatever")).status).toBe(200);
    await expect(heimdall(grpc, "whatever").getJobs({})).resolves.toMatchObject({ count: 0 });
  });

  test("a token that was revoked, or has expired, opens nothing any more", async () => {
    const clock = new FakeClock();
    const { http, book } = await openGateway({ clock });
    const expiresAt = clock.now() + 60_000;
    const short = await book.create({ name: "short", roles: ["viewer"], expiresAt });
    const long = await book.create({ name: "long", roles: ["viewer"] });
    const statuses = () => Promise.all([short, long].map(async ({ text }) => (await call(http + jobs, text)).status));
    expect(await statuses()).toEqual([200, 200]);
    await clock.advance(60_000);
    expect(await statuses()).toEqual([401, 200]);
    await book.revoke(long.record.id);
    expect(await statuses()).toEqual([401, 401]);
  });

  test("a refusal says which role is needed, and never what the token was", async () => {
    const { http, tokenOf } = await openGateway();
    const token = await tokenOf("watcher");
    const { body } = await call(`${http}/v1/advice`, token);
    expect(body).toEqual({
      code: 7,
      message: "ListAdvice: the role viewer or operator or controller is needed; watcher has the role watcher",
      details: [],
    });
  });

  test("the owner makes, lists and revokes tokens by the API", async () => {
    const { internalHttp, http } = await openGateway();
    const tokens = `${internalHttp}/reprise/v1/tokens`;
    const post = (path: string, body: object) =>
      call(tokens + path, ownersToken, { method: "POST", body: JSON.stringify(body) });
    const { body } = await post("", { name: "ci", roles: ["viewer"] });
    const { token, record } = body as { token: string; record: { id: string } };
    expect((await call(http + jobs, token)).status).toBe(200);
    const listed = await call(tokens, ownersToken);
    expect(listed.body).toEqual({ tokens: [record] });
    expect(JSON.stringify(listed.body)).not.toContain(token.slice(-43));
    expect((await post(`/${record.id}:revoke`, {})).body["record"]).toMatchObject({ id: record.id, name: "ci" });
    expect((await call(http + jobs, token)).status).toBe(401);
    expect((await post("/nobody:revoke", {})).status).toBe(404);
    for (const [bad, field] of [
      [{ name: "", roles: ["viewer"] }, "name"],
      [{ name: "ci", roles: [] }, "roles"],
      [{ name: "ci", roles: ["owner"] }, "roles"],
      [{ name: "ci", roles: ["viewer"], expiresAt: "2020-01-01T00:00:00Z" }, "expiresAt"],
    ] as const) {
      const refused = await post("", bad);
      expect([refused.status, refused.body["message"]]).toEqual([400, expect.stringContaining(`${field}: `)]);
    }
  });
});

describe("where the doors are", () => {
  test("behind a prefix; probes answer with and without it", async () => {
    const config = { urlPrefix: "/recovery", internalUrlPrefix: "/in/ternal" };
    const { http, internalHttp } = await openGateway({ config });
    const [outside, inside] = [new URL(http).origin, new URL(internalHttp).origin];
    expect([http, internalHttp]).toEqual([`${outside}/recovery`, `${inside}/in/ternal`]);
    expect((await call(http + jobs, ownersToken)).status).toBe(200);
    expect((await call(internalHttp + jobs, ownersToken)).status).toBe(200);
    for (const path of [jobs, "/recoveryv1/jobs", "/recoveryx/v1/jobs", "/"])
      expect((await call(outside + path, ownersToken)).status, path).toBe(404);
    for (const base of [outside, http]) expect((await call(`${base}/readyz`, undefined)).status).toBe(200);
  });

  test("inside only, where the external endpoints are off", async () => {
    const gateway = await openGateway({ config: { externalEndpoints: false } });
    expect(gateway.http).toBe(gateway.internalHttp);
    expect((await call(gateway.internalHttp + jobs, ownersToken)).status).toBe(200);
  });

  test("a pass of a large cluster comes in at the internal pair alone", async () => {
    const { grpc, internalGrpc, http } = await openGateway();
    const large = { jobId: "1", workflowId: "w", jobName: "x".repeat(1_200_000) };
    await expect(heimdall(grpc, ownersToken).createOrUpdateJob(large)).rejects.toMatchObject({ code: "busy" });
    expect((await heimdall(internalGrpc, ownersToken).createOrUpdateJob(large)).job?.jobId).toBe("1");
    const post = { method: "POST", body: JSON.stringify(large) };
    const refused = await call(http + jobs, ownersToken, post);
    expect([refused.status, refused.body["message"]]).toEqual([400, "the body is larger than 1048576 bytes"]);
  });
});

/** What gRPC's own retries obey. */
function pushbackOf(grpc: string, token: string): Promise<unknown> {
  const session = connectHttp2(`http://${grpc}`);
  onTestFinished(() => session.destroy());
  const path = "/heimdall.v1.HeimdallService/GetJobs";
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${token}`,
  });
  return new Promise((resolve) => stream.on("response", (headers) => resolve(headers["grpc-retry-pushback-ms"])));
}

describe("how often", () => {
  test("each caller has its own measure, and is told when to come again; the owner has none", async () => {
    const clock = new FakeClock();
    const { http, grpc, tokenOf } = await openGateway({ clock, config: { rate: { perSecond: 0.5, burst: 2 } } });
    const [hasty, calm] = [await tokenOf("viewer"), await tokenOf("operator")];
    const statusOf = async (token: string) => (await call(http + jobs, token)).status;
    expect([await statusOf(hasty), await statusOf(hasty)]).toEqual([200, 200]);
    const refused = await call(http + jobs, hasty);
    expect(refused).toMatchObject({ status: 429, body: { code: 8, details: [] } });
    expect(refused.headers.get("retry-after")).toBe("2");
    await expect(heimdall(grpc, hasty).getJobs({})).rejects.toMatchObject({ code: "busy" });
    expect(await pushbackOf(grpc, hasty)).toBe("2000");
    expect(await statusOf(calm)).toBe(200);
    for (let i = 0; i < 10; i++) expect(await statusOf(ownersToken)).toBe(200);
    await clock.advance(2_000);
    expect([await statusOf(hasty), await statusOf(hasty)]).toEqual([200, 429]);
  });
});

describe("how long", () => {
  test("a call that takes longer than 30 s is answered all the same", async () => {
    const clock = new FakeClock();
    const asked = { count: 0, both: Promise.withResolvers<void>() };
    const never = () => {
      if (++asked.count === 2) asked.both.resolve();
      return new Promise(() => {});
    };
    const { http, grpc } = await openGateway({ clock, services: instead("GetJobs", never) });
    const late = call(http + jobs, ownersToken);
    const lateToo = heimdall(grpc, ownersToken).getJobs({});
    lateToo.catch(() => {});
    await asked.both.promise;
    await clock.advance(30_000);
    expect(await late).toMatchObject({ status: 504, body: { code: 4, message: "there is no answer within 30 s" } });
    await expect(lateToo).rejects.toMatchObject({ code: "deadline" });
    expect((await call(`${http}/v1/workflows`, ownersToken)).status).toBe(200);
  });
});

describe("how many streams", () => {
  test("one caller may have open is bounded, and no other caller is touched by it", async () => {
    const { http, grpc, tokenOf } = await openGateway({ config: { rate: { perSecond: 0, burst: 0 } } });
    const [many, one] = [await tokenOf("viewer"), await tokenOf("operator")];
    const hangUp = new AbortController();
    onTestFinished(() => hangUp.abort());
    const open = (token: string) =>
      fetch(`${http}/reprise/v1/watch`, { headers: { authorization: `Bearer ${token}` }, signal: hangUp.signal });
    const opened = await Promise.all(Array.from({ length: limits.streamsPerCallerMax }, () => open(many)));
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await open(many)).status).toBe(429);
    const watching = createRpcClient(RecoveryService, grpc, { clock: systemClock, token: many });
    onTestFinished(() => watching.close());
    await expect(watching.watch({})[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: "busy" });
    expect((await open(one)).status).toBe(200);
    expect((await call(http + jobs, many)).status).toBe(200);
    await opened[0]?.body?.cancel();
    while ((await open(many)).status !== 200); // The server hears of it a moment later.
  });
});

describe("a server that stops", () => {
  test("answers what it has begun, ends its streams, and lets nobody new in", async () => {
    const begun = { count: 0, both: Promise.withResolvers<void>() };
    const answer = Promise.withResolvers<object>();
    const wait = () => {
      if (++begun.count === 2) begun.both.resolve();
      return answer.promise;
    };
    const gateway = await openGateway({ services: instead("GetJobs", wait) });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const kept = (path: string) =>
      new Promise<{ status: number; connection: string | undefined }>((resolve, reject) => {
        request(gateway.http + path, { agent }, (response) => {
          response
            .resume()
            .on("end", () => resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }));
        })
          .on("error", reject)
          .end();
      });
    expect((await kept("/readyz")).status).toBe(200);

    const slow = [call(gateway.http + jobs, ownersToken), heimdall(gateway.grpc, ownersToken).getJobs({})] as const;
    const events = await fetch(`${gateway.http}/reprise/v1/watch`, {
      headers: { authorization: `Bearer ${ownersToken}` },
    });
    const watching = createRpcClient(RecoveryService, gateway.grpc, { clock: systemClock, token: ownersToken });
    onTestFinished(() => watching.close());
    const hints: string[] = [];
    const first = Promise.withResolvers<void>();
    const watched = (async () => {
      for await (const { kind } of watching.watch({})) {
        if (kind === "anew") continue; // The stream has begun.
        hints.push(kind);
        first.resolve();
      }
    })();
    // A stream has begun when a change comes through it.
    const told = systemClock.now();
    while (hints.length === 0) {
      await gateway.store.upsertJob(report(`${hints.length}-${systemClock.now()}`), told);
      await Promise.race([first.promise, systemClock.sleep(5)]);
    }
    await begun.both.promise;

    const stopped = gateway.stop();
    expect(await events.text()).toContain("data:");
    await watched;
    answer.resolve({ jobs: [], count: 7, nextPageToken: "" });
    expect(await slow[0]).toMatchObject({ status: 200, body: { count: 7 } });
    expect(await slow[1]).toMatchObject({ count: 7 });
    await stopped;
    await expect(call(gateway.http + jobs, ownersToken)).rejects.toThrow("fetch failed");
  });

  test("does not wait for ever", async () => {
    const clock = new FakeClock();
    const begun = Promise.withResolvers<void>();
    const never = () => {
      begun.resolve();
      return new Promise(() => {});
    };
    const gateway = await openGateway({ clock, services: instead("GetJobs", never) });
    const cut = call(gateway.http + jobs, ownersToken);
    await begun.promise;
    const stopped = gateway.stop();
    await clock.advance(5_000);
    expect(await cut).toMatchObject({ status: 503, body: { code: 14 } });
    await clock.advance(500);
    await stopped;
  });
});
