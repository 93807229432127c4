/**
 * Goal    what a handler answers or refuses is what the caller gets, over a real connection.
 * Method  a grpc-js server on loopback with handlers written here; the client of `createRpcClient`.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import { limits } from "@reprise/core/limits.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { expect, onTestFinished, test } from "vitest";
import { GetJobResponseSchema, HeimdallService } from "./gen/heimdall/v1/heimdall_pb.ts";
import { ObservationService, RecoveryService, type WatchRequest } from "./gen/reprise/v1/reprise_pb.ts";
import { channelOptions, createRpcClient, type RpcClientOptions, serviceDefinition } from "./grpc.ts";
import type { RpcHandlers } from "./rpc.ts";
import { toWireError } from "./refusal.ts";

type Call = ServerUnaryCall<unknown, unknown>;
const answers = (answer: (call: Call) => unknown) => (call: Call, done: sendUnaryData<unknown>) => {
  try {
    done(null, answer(call));
  } catch (thrown) {
    const { code, message } = toWireError(thrown);
    done({ code, details: message });
  }
};

async function listening(build: (server: Server) => void): Promise<string> {
  const server = new Server(channelOptions);
  build(server);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

const clock = { now: () => Date.now() };
function heimdall(address: string, options: Partial<RpcClientOptions> = {}) {
  const client = createRpcClient(HeimdallService, address, { clock, ...options });
  onTestFinished(() => client.close());
  return client;
}
const getJob = (answer: Parameters<typeof answers>[0]) =>
  listening((server) => server.addService(serviceDefinition(HeimdallService), { getJob: answers(answer) }));

test("a unary call gets the message that the handler gave as a plain object", async () => {
  const address = await getJob(() => ({ job: { jobId: "5", attemptIndex: 0, nodes: ["n1"] } }));
  const { job } = await heimdall(address).getJob({ heimdallJobId: "5-0" });
  expect(job).toMatchObject({ jobId: "5", attemptIndex: 0, nodes: ["n1"] });
  expect(job?.jobName).toBeUndefined();
});

test("a refusal arrives as the same refusal, with its words", async () => {
  const address = await getJob(() => {
    throw new Refusal("not-found", "no attempt 5-0: café");
  });
  const failed = await heimdall(address)
    .getJob({})
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(Refusal);
  expect(failed).toMatchObject({ code: "not-found", message: "no attempt 5-0: café" });
});

test("a bug of the server arrives as a plain error without its words", async () => {
  const address = await getJob(() => {
    throw new TypeError("password=hunter2");
  });
  const failed = await heimdall(address)
    .getJob({})
    .catch((error: unknown) => error);
  expect(failed).not.toBeInstanceOf(Refusal);
  expect(String(failed)).toMatch(/internal: internal error/);
});

test("a server that is not there is unavailable, and the message has its address", async () => {
  const failed = await heimdall("127.0.0.1:1")
    .getJob({})
    .catch((error: unknown) => error);
  expect(failed).toMatchObject({ name: "Refusal", code: "unavailable" });
  expect(String(failed)).toContain("127.0.0.1:1");
});

test("a call without an answer ends at its deadline", async () => {
  const address = await listening((server) =>
    server.addService(serviceDefinition(HeimdallService), { getJob: () => undefined }),
  );
  await expect(heimdall(address, { deadlineMs: 50 }).getJob({})).rejects.toMatchObject({ code: "deadline" });
});

test("an aborted call rejects with the reason of the abort", async () => {
  const stop = new AbortController();
  const address = await listening((server) =>
    server.addService(serviceDefinition(HeimdallService), { getJob: () => stop.abort(new Error("enough")) }),
  );
  await expect(heimdall(address).getJob({}, { signal: stop.signal })).rejects.toThrow("enough");
});

test("the token file is read at every call, so that a renewed token is used", async () => {
  const folder = mkdtempSync(join(tmpdir(), "reprise-protocol-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tokenFile = join(folder, "token");
  const address = await getJob((call) => ({ job: { jobName: String(call.metadata.get("authorization")[0]) } }));
  const client = heimdall(address, { tokenFile });
  for (const token of ["first", "second"]) {
    writeFileSync(tokenFile, `${token}\n`);
    expect((await client.getJob({})).job?.jobName).toBe(`Bearer ${token}`);
  }
  rmSync(tokenFile);
  await expect(client.getJob({})).rejects.toMatchObject({ code: "unauthenticated" });
});

test("a method without a handler is unimplemented", async () => {
  const address = await getJob(() => create(GetJobResponseSchema));
  await expect(heimdall(address).getJobs({})).rejects.toMatchObject({ code: "unimplemented" });
});

test("a pass far above gRPC's usual 4 MiB goes through", async () => {
  const count = 300_000;
  const address = await listening((server) =>
    server.addService(serviceDefinition(ObservationService), {
      reportPass: answers((call) => ({
        confirmedStepKeys: [String((call.request as { seen: unknown[] }).seen.length)],
      })),
    }),
  );
  const client = createRpcClient(ObservationService, address, { clock });
  onTestFinished(() => client.close());
  const seen = Array.from({ length: count }, (_, i) => ({ jobId: `${1_000_000_000 + i}`, attemptIndex: 1 }));
  expect((await client.reportPass({ seen })).confirmedStepKeys).toEqual([String(count)]);
  expect(limits.passBytesMax).toBeGreaterThan(count * 16);
});

function watching(give: (call: ServerWritableStream<WatchRequest, unknown>) => void) {
  return listening((server) => server.addService(serviceDefinition(RecoveryService), { watch: give }));
}
function recovery(address: string) {
  const client = createRpcClient(RecoveryService, address, { clock });
  onTestFinished(() => client.close());
  return client;
}

test("a stream gives every message and then ends", async () => {
  const address = await watching((call) => {
    for (const kind of ["advice", "job", "status"]) call.write({ kind });
    call.end();
  });
  const kinds: string[] = [];
  for await (const { kind } of recovery(address).watch({})) kinds.push(kind);
  expect(kinds).toEqual(["advice", "job", "status"]);
});

test("an aborted stream ends quietly, and the server sees it go", async () => {
  const gone = Promise.withResolvers<void>();
  const address = await watching((call) => {
    call.on("cancelled", gone.resolve);
    call.write({ kind: "advice" });
  });
  const stop = new AbortController();
  for await (const { kind } of recovery(address).watch({}, { signal: stop.signal })) {
    expect(kind).toBe("advice");
    stop.abort();
  }
  await gone.promise;
});

test("a reader who leaves the loop ends the stream", async () => {
  const gone = Promise.withResolvers<void>();
  const address = await watching((call) => {
    call.on("cancelled", gone.resolve);
    call.write({ kind: "advice" });
  });
  for await (const _ of recovery(address).watch({})) break;
  await gone.promise;
});

test("a stream to a server that is not there is unavailable", async () => {
  const read = async () => {
    for await (const _ of recovery("127.0.0.1:1").watch({})) expect.unreachable();
  };
  await expect(read()).rejects.toMatchObject({ name: "Refusal", code: "unavailable" });
});

test("handlers are typed by the service", () => {
  const handlers: Pick<RpcHandlers<typeof RecoveryService, { role: string }>, "explain" | "watch"> = {
    explain: async ({ jobId }, { role }) => ({ jobId, workflowId: role }),
    watch: async function* ({ cluster }) {
      yield { kind: "job", heimdallJobId: cluster };
    },
  };
  // @ts-expect-error because a wrongly typed answer must not compile
  const wrong: Pick<typeof handlers, "explain"> = { explain: async () => ({ jobId: 5 }) };
  const names = RecoveryService.methods.map((m) => m.localName);
  expect(names).toEqual(expect.arrayContaining(Object.keys({ ...handlers, ...wrong })));
});

test("bytes that are no request come to the handler as a refusal, which grpc-js would call an internal error", () => {
  const { getJob } = serviceDefinition(HeimdallService);
  const read = getJob?.requestDeserialize(Buffer.from([0xff, 0xff])) as unknown;
  expect(read).toBeInstanceOf(Refusal);
  expect(read).toMatchObject({
    code: "invalid",
    message: expect.stringMatching(/^request: not a heimdall.v1.GetJobRequest: /),
  });
});
