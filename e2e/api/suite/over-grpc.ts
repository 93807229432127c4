/**
 * over-grpc: asks the same by gRPC, as a client that knows no proto: it learns the services by reflection.
 *
 * Takes   an exchange's HTTP form; the learnt http rules say which RPC it is and what its request message holds.
 * Gives   the answer as JSON; a status as the HTTP status and the error body that it stands for.
 */
import {
  create,
  createFileRegistry,
  type DescMethod,
  type DescService,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from "@reprise/protocol/gen/grpc/reflection/v1/reflection_pb.ts";
import { channelOptions, serviceDefinition } from "@reprise/protocol/grpc.ts";
import { toHttpError } from "@reprise/protocol/refusal.ts";
import { createTranscoder, writeJson } from "@reprise/protocol/transcode.ts";
import { type Answer, type Ask, authorizationOf } from "./answer.ts";

export interface OverGrpc {
  readonly ask: Ask;
  readonly services: readonly DescService[];
  close(): void;
}

/** @param address `host:port`. */
export async function overGrpc(address: string, token: string | undefined): Promise<OverGrpc> {
  const client = new Client(address, credentials.createInsecure(), channelOptions);
  const services = await learn(client);
  const transcoder = createTranscoder(services);
  const ask: Ask = async (asked) => {
    const found = transcoder.find(asked.method, asked.target);
    if (found.kind !== "found")
      throw new Error(`${asked.method} ${asked.target}: no RPC; mark it \`http only: <why>\``);
    const read = found.read(asked.body);
    if (read.kind === "refused")
      throw new Error(`gRPC cannot say it (${read.refusal.message}); mark it \`http only: <why>\``);
    const metadata = new Metadata();
    const authorization = authorizationOf(asked, token);
    if (authorization !== undefined) metadata.set("authorization", authorization);
    return await call(client, found.route.method, read.request, metadata);
  };
  return { ask, services, close: () => client.close() };
}

function call(client: Client, method: DescMethod, request: Message, metadata: Metadata): Promise<Answer> {
  return new Promise((resolve) => {
    const done = (error: ServiceError | null, response?: Message) => {
      if (error === null && response !== undefined)
        return resolve({ status: 200, body: JSON.parse(writeJson(method.output, response)) });
      const { code, details } = error ?? { code: 13, details: "no answer" };
      const { status, body } = toHttpError({ code, message: details });
      resolve({ status, body: JSON.parse(body) });
    };
    client.makeUnaryRequest(
      `/${method.parent.typeName}/${method.name}`,
      (message: Message) => Buffer.from(toBinary(method.input, message)),
      (bytes) => fromBinary(method.output, bytes),
      request,
      metadata,
      done,
    );
  });
}

/** All services that have http rules, from the server's own descriptors. */
async function learn(client: Client): Promise<readonly DescService[]> {
  const [listed] = await reflect(client, [{ case: "listServices", value: "" }]);
  const answer = listed?.messageResponse;
  if (answer?.case !== "listServicesResponse") throw new Error("reflection lists no services");
  const names = answer.value.service.map(({ name }) => name);
  const files = new Map<string, FileDescriptorProto>();
  const asked = names.map((value) => ({ case: "fileContainingSymbol", value }) as const);
  for (const { messageResponse } of await reflect(client, asked)) {
    if (messageResponse.case !== "fileDescriptorResponse")
      throw new Error("reflection does not describe a service it lists");
    for (const bytes of messageResponse.value.fileDescriptorProto) {
      const file = fromBinary(FileDescriptorProtoSchema, bytes);
      files.set(file.name, file);
    }
  }
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: importsFirst(files) }));
  return names.map((name) => {
    const service = registry.getService(name);
    if (service === undefined) throw new Error(`reflection does not describe ${name}`);
    return service;
  });
}

function importsFirst(files: ReadonlyMap<string, FileDescriptorProto>): FileDescriptorProto[] {
  const sorted = new Set<FileDescriptorProto>();
  const visit = (name: string) => {
    const file = files.get(name);
    if (file === undefined) throw new Error(`reflection does not give ${name}, which another file imports`);
    for (const dependency of file.dependency) visit(dependency);
    sorted.add(file);
  };
  for (const name of files.keys()) visit(name);
  return [...sorted];
}

type Question = ServerReflectionRequest["messageRequest"];

function reflect(client: Client, questions: readonly Question[]): Promise<readonly ServerReflectionResponse[]> {
  const { serverReflectionInfo: method } = serviceDefinition(ServerReflection);
  if (method === undefined) throw new Error("reflection has no method");
  return new Promise((resolve, reject) => {
    const stream = client.makeBidiStreamRequest(method.path, method.requestSerialize, method.responseDeserialize);
    const answers: ServerReflectionResponse[] = [];
    stream.on("data", (answer: ServerReflectionResponse) => answers.push(answer));
    stream.on("end", () => resolve(answers));
    stream.on("error", reject);
    for (const messageRequest of questions) stream.write({ messageRequest });
    stream.end();
  });
}
