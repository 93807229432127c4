/**
 * Goal    what is too slow, too large, packed or no request at all is refused or cut, and another caller is served meanwhile.
 * Method  bare connections to a real server on loopback that send what no client would; its patience is milliseconds. After each, and
 *         while each goes on, a caller with a token of its own is answered.
 */
import { connect as connectHttp2, constants } from "node:http2";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { limits } from "@reprise/core/limits.ts";
import { CreateOrUpdateJobRequestSchema, HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { createRpcClient } from "@reprise/protocol/grpc.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { FakeClock } from "@reprise/runtime/testing/fake-clock.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { call, type Gateway, openGateway, ownersToken, rawSocket } from "./testing/gateway.ts";

const patience = { headersMs: 50, requestMs: 100, lookEveryMs: 10 };
const authorization = `Authorization: Bearer ${ownersToken}\r\n`;

/** Answers on both transports, for a caller who has done nothing. */
async function othersAreServed({ http, grpc, tokenOf }: Gateway): Promise<void> {
  const token = await tokenOf("viewer");
  expect((await call(`${http}/v1/jobs`, token)).status).toBe(200);
  const client = createRpcClient(HeimdallService, grpc, { clock: systemClock, token });
  onTestFinished(() => client.close());
  await client.getJobs({});
}

describe("HTTP", () => {
  test.each<[what: string, sent: string, answer: RegExp]>([
    ["headers that never end", "GET /v1/jobs HTTP/1.1\r\nHost: x\r\nX-A: ", /^HTTP\/1.1 408 .*"code":3/s],
    [
      "a body that never ends",
      `POST /v1/jobs HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: 100\r\n\r\n{"work`,
      /^HTTP\/1.1 408 |^$/s,
    ],
    [
      "headers without measure",
      `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(64 * 1024)}\r\n\r\n`,
      /^HTTP\/1.1 431 .*"code":3/s,
    ],
    ["no request at all", "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", /^HTTP\/1.1 400 .*"code":3/s],
    [
      "two lengths of one body",
      "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /^HTTP\/1.1 400 /,
    ],
  ])("%s", async (_what, sent, answer) => {
    const gateway = await openGateway({ patience });
    const { socket, closed } = rawSocket(gateway.http);
    socket.write(sent);
    await othersAreServed(gateway);
    expect(await closed).toMatch(answer);
    await othersAreServed(gateway);
  });

  test("a hundred slow callers at once hold nobody up, and are gone in the end", async () => {
    const gateway = await openGateway({ patience });
    const slow = Array.from({ length: 100 }, () => rawSocket(gateway.http));
    for (const { socket } of slow) socket.write("GET /v1/jobs HTTP/1.1\r\nHost: x\r\n");
    await othersAreServed(gateway);
    await Promise.all(slow.map(({ closed }) => closed));
  });

  test("a body that never stops is refused, and its connection cut", async () => {
    const gateway = await openGateway();
    const { socket, closed } = rawSocket(gateway.http);
    socket.write(`POST /v1/jobs HTTP/1.1\r\nHost: x\r\n${authorization}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(0x10000, 32), Buffer.from("\r\n")]);
    let sent = 0;
    const push = () => {
      while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
      if (!socket.destroyed) socket.once("drain", push);
    };
    push();
    await othersAreServed(gateway);
    expect(await closed).toMatch(/^(HTTP\/1.1 400 .*the body is larger than 1048576 bytes.*)?$/s);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test("a body that is announced as too large is refused before it comes", async () => {
    const gateway = await openGateway();
    const { socket, closed } = rawSocket(gateway.http);
    socket.write(`POST /v1/jobs HTTP/1.1\r\nHost: x\r\n${authorization}Content-Length: 99999999999\r\n\r\n`);
    expect(await closed).toMatch(/^HTTP\/1.1 400 .*Connection: close.*the body is larger than/is);
  });

  test("who may not call is refused before a byte of the body is asked for", async () => {
    const gateway = await openGateway();
    const { socket, closed } = rawSocket(gateway.http);
    socket.write("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n");
    expect(await closed).toMatch(/^HTTP\/1.1 401 /);
  });

  test.each(["gzip", "GZIP", "br", "deflate", "gzip, gzip", "zstd"])(
    "a body packed by %s is refused unread",
    async (encoding) => {
      const gateway = await openGateway();
      const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
      const answer = await call(`${gateway.http}/v1/jobs`, ownersToken, {
        method: "POST",
        headers: { "content-encoding": encoding },
        body: bomb,
      });
      expect(answer).toMatchObject({ status: 415, body: { code: 3, details: [] } });
      expect(answer.body["message"]).toContain(`content-encoding: ${encoding}`);
      const plain = {
        method: "POST",
        headers: { "content-encoding": "identity" },
        body: '{"workflowId":"w","jobId":"1"}',
      };
      expect((await call(`${gateway.http}/v1/jobs`, ownersToken, plain)).status).toBe(200);
    },
  );
});

describe("gRPC", () => {
  const path = "/heimdall.v1.HeimdallService/CreateOrUpdateJob";
  const head = {
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    te: "trailers",
    authorization: `Bearer ${ownersToken}`,
  };
  const frame = (isPacked: boolean, message: Buffer) => {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt8(isPacked ? 1 : 0, 0);
    prefix.writeUInt32BE(message.length, 1);
    return Buffer.concat([prefix, message]);
  };
  function connection(grpc: string) {
    const session = connectHttp2(`http://${grpc}`);
    session.on("error", () => {}); // A connection that is cut is what some of these tests want.
    onTestFinished(() => session.destroy());
    return session;
  }
  /** @returns gRPC's status, or that the stream was cut. */
  function statusOf(session: ReturnType<typeof connection>, headers: object, body: Buffer): Promise<string> {
    const stream = session.request({ ...head, ...headers });
    return new Promise((resolve) => {
      const say = (given: Record<string, unknown>) =>
        given["grpc-status"] !== undefined && resolve(given["grpc-status"] as string);
      stream.on("response", say).on("trailers", say);
      stream.on("error", () => resolve("cut")).on("close", () => resolve("cut"));
      stream.resume().end(body);
    });
  }

  test("a message that unpacks to more than it may is refused", async () => {
    const gateway = await openGateway();
    const job = create(CreateOrUpdateJobRequestSchema, {
      workflowId: "w",
      jobId: "1",
      jobName: "x".repeat(8 * 1024 * 1024),
    });
    const bomb = gzipSync(toBinary(CreateOrUpdateJobRequestSchema, job));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await statusOf(connection(gateway.grpc), { "grpc-encoding": "gzip" }, frame(true, bomb))).toBe("8");
    await othersAreServed(gateway);
  });

  test("a length that no message has is refused", async () => {
    const gateway = await openGateway();
    const lie = frame(false, Buffer.from("x"));
    lie.writeUInt32BE(0xffffffff, 1);
    expect(await statusOf(connection(gateway.grpc), {}, lie)).toBe("8");
    await othersAreServed(gateway);
  });

  test("who may not call hears so before the message has come", async () => {
    const gateway = await openGateway();
    const stream = connection(gateway.grpc).request({ ...head, authorization: "Bearer nobody" });
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.on("response", resolve));
    expect(headers["grpc-status"]).toBe("16");
  });

  test("a message that never comes is waited for no longer than for an answer", async () => {
    const clock = new FakeClock();
    const gateway = await openGateway({ clock });
    const before = clock.sleeping;
    const stream = connection(gateway.grpc).request(head);
    const ended = new Promise<Record<string, unknown>>((resolve) => stream.on("response", resolve));
    await clock.untilSleeping(before + 1);
    await clock.advance(limits.requestDeadlineMs);
    expect((await ended)["grpc-status"]).toBe("4");
  });

  test("calls that are begun and taken back, thousands of them, hold nobody up", async () => {
    const gateway = await openGateway();
    const session = connection(gateway.grpc);
    let isCut = false;
    session.on("close", () => (isCut = true));
    for (let i = 0; i < 5_000 && !isCut; i++) {
      const stream = session.request({ ...head, ":path": "/heimdall.v1.HeimdallService/GetJobs" });
      stream.on("error", () => {});
      stream.close(constants.NGHTTP2_CANCEL);
      if (i % 500 === 0) await othersAreServed(gateway);
    }
    await othersAreServed(gateway);
    expect(gateway.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test.each([
    ["HTTP/1.1", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["no protocol at all", "x".repeat(1_000)],
    ["the beginning of HTTP/2, and then nothing like it", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${"\xff".repeat(500)}`],
  ])("%s on its port ends that connection alone", async (_what, sent) => {
    const gateway = await openGateway();
    const { socket, closed } = rawSocket(`http://${gateway.grpc}`);
    socket.write(sent, "latin1");
    await closed;
    await othersAreServed(gateway);
  });
});
