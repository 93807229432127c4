/**
 * Goal    a client that knows nothing finds out what is served, and a probe whether it is served.
 * Method  a real connection on loopback; questions as grpcurl asks them. (Calling what was learnt: e2e/api.)
 */
import { create, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import { Health, HealthCheckRequestSchema } from "@reprise/protocol/gen/grpc/health/v1/health_pb.ts";
import {
  ServerReflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
} from "@reprise/protocol/gen/grpc/reflection/v1/reflection_pb.ts";
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { createRpcClient, serviceDefinition } from "@reprise/protocol/grpc.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addHealth } from "./health.ts";
import { addReflection, answerer } from "./reflection.ts";

const services = [HeimdallService, RecoveryService];
const server = new Server();
let address = "";
let isReady = true;
beforeAll(async () => {
  addHealth(server, services, () => isReady);
  addReflection(server, services);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    }),
  );
  address = `127.0.0.1:${port}`;
});
afterAll(() => server.forceShutdown());

const answer = answerer(services);
const ask = (messageRequest: ServerReflectionRequest["messageRequest"]) =>
  answer(create(ServerReflectionRequestSchema, { host: "h", messageRequest })).messageResponse;

test("the services are listed", () => {
  expect(ask({ case: "listServices", value: "*" })).toEqual({
    case: "listServicesResponse",
    value: { service: [{ name: "heimdall.v1.HeimdallService" }, { name: "reprise.v1.RecoveryService" }] },
  });
});

test.each([
  "heimdall.v1.HeimdallService",
  "heimdall.v1.HeimdallService.GetJob",
  "heimdall.v1.Job",
  "heimdall.v1.JobStatus",
])("%s is described by its file, which comes first, and all that it imports", (value) => {
  const found = ask({ case: "fileContainingSymbol", value });
  if (found?.case !== "fileDescriptorResponse") throw new Error(JSON.stringify(found));
  const files = (found.value.fileDescriptorProto ?? []).map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  expect(files[0]?.name).toBe("heimdall/v1/heimdall.proto");
  const names = files.map(({ name }) => name);
  expect(files.flatMap(({ dependency }) => dependency).filter((name) => !names.includes(name))).toEqual([]);
  expect(ask({ case: "fileByFilename", value: "heimdall/v1/heimdall.proto" })).toEqual(found);
});

// biome-ignore format: a table
test.each<[what: string, asked: ServerReflectionRequest["messageRequest"], code: number]>([
  ["a symbol that is not served", { case: "fileContainingSymbol", value: "heimdall.v1.AuditService" },          5],
  ["no symbol",                   { case: "fileContainingSymbol", value: "" },                                  5],
  ["a file that is not served",   { case: "fileByFilename", value: "../../etc/passwd" },                        5],
  ["an extension",                { case: "allExtensionNumbersOfType", value: "google.protobuf.MethodOptions" }, 12],
  ["nothing",                     { case: undefined },                                                          3],
])("%s gets an error, and the stream goes on", (_what, asked, errorCode) => {
  expect(ask(asked)).toMatchObject({ case: "errorResponse", value: { errorCode } });
});

test.each(["v1", "v1alpha"])("over the wire, in %s, each question has its answer", async (version) => {
  const { serverReflectionInfo: method } = serviceDefinition(ServerReflection);
  if (method === undefined) throw new Error("no method");
  const client = new Client(address, credentials.createInsecure());
  const path = method.path.replace(".v1.", `.${version}.`);
  const answers = await new Promise<ServerReflectionResponse[]>((resolve, reject) => {
    const stream = client.makeBidiStreamRequest(path, method.requestSerialize, method.responseDeserialize);
    const got: ServerReflectionResponse[] = [];
    stream.on("data", (one: ServerReflectionResponse) => got.push(one));
    stream.on("end", () => resolve(got));
    stream.on("error", reject);
    stream.write({ messageRequest: { case: "listServices", value: "" } });
    stream.write({ host: "h", messageRequest: { case: "fileByFilename", value: "nothing" } });
    stream.end();
  });
  client.close();
  expect(answers.map(({ messageResponse }) => messageResponse.case)).toEqual(["listServicesResponse", "errorResponse"]);
  expect(answers[1]).toMatchObject({ validHost: "h", originalRequest: { messageRequest: { value: "nothing" } } });
});

test("health: of the whole server, of a service, of one that is not served; and when it stops", async () => {
  const client = createRpcClient(Health, address, { clock: systemClock });
  const status = async (service: string) => (await client.check(create(HealthCheckRequestSchema, { service }))).status;
  expect([await status(""), await status("heimdall.v1.HeimdallService")]).toEqual([1, 1]);
  await expect(status("nothing")).rejects.toMatchObject({ code: "not-found" });
  isReady = false;
  expect(await status("")).toBe(2);
  isReady = true;
  for (const [service, expected] of [["", 1] as const, ["nothing", 3] as const]) {
    const end = new AbortController();
    for await (const told of client.watch({ service }, { signal: end.signal })) {
      expect(told.status).toBe(expected);
      end.abort();
    }
  }
  client.close();
});
