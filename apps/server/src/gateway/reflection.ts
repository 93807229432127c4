/**
 * reflection: tells a gRPC client what is served here, so that it can call without knowing the proto (grpcurl, Postman).
 *
 * Gives   the services' own descriptors, with what they import; comments are not in them (`/openapi.json` has these).
 *         Both versions of the protocol, v1 and v1alpha, which differ in name only.
 * Bound   one answer a question; a slow reader is waited for.
 * Source  grpc/grpc, doc/server-reflection.md.
 */
import type { DescFile, DescService, MessageInitShape } from "@bufbuild/protobuf";
import { createRegistry, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import type { handleBidiStreamingCall, Server } from "@grpc/grpc-js";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponseSchema,
} from "@reprise/protocol/gen/grpc/reflection/v1/reflection_pb.ts";
import { serviceDefinition } from "@reprise/protocol/grpc.ts";
import { grpcCode } from "@reprise/protocol/refusal.ts";

type Answer = MessageInitShape<typeof ServerReflectionResponseSchema>;

export function addReflection(server: Server, services: readonly DescService[]): void {
  const answer = answerer(services);
  const serverReflectionInfo: handleBidiStreamingCall<ServerReflectionRequest, object> = (call) => {
    const pump = async () => {
      for await (const request of call as AsyncIterable<ServerReflectionRequest>) {
        if (!call.write(answer(request)))
          await new Promise((resolve) => call.once("drain", resolve).once("cancelled", resolve));
      }
      call.end();
    };
    pump().catch(() => call.end()); // The caller has gone.
  };
  const v1 = serviceDefinition(ServerReflection);
  const v1alpha = Object.fromEntries(
    Object.entries(v1).map(([name, method]) => [name, { ...method, path: method.path.replace(".v1.", ".v1alpha.") }]),
  );
  for (const definition of [v1, v1alpha]) server.addService(definition, { serverReflectionInfo });
}

/** Pure: one question, one answer. */
export function answerer(services: readonly DescService[]): (request: ServerReflectionRequest) => Answer {
  const files = new Set<DescFile>();
  const visit = (file: DescFile) => {
    for (const dependency of file.dependencies) visit(dependency);
    files.add(file); // After what it imports: a reader can take them in order.
  };
  for (const { file } of services) visit(file);
  const registry = createRegistry(...files);
  return (request) => ({
    validHost: request.host,
    originalRequest: request,
    messageResponse: messageResponse(request),
  });

  function messageResponse({ messageRequest: asked }: ServerReflectionRequest): NonNullable<Answer["messageResponse"]> {
    switch (asked.case) {
      case "listServices":
        return {
          case: "listServicesResponse",
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case "fileByFilename":
        return fileResponse(
          [...files].find(({ proto }) => proto.name === asked.value),
          asked.value,
        );
      case "fileContainingSymbol":
        return fileResponse(fileOf(asked.value), asked.value);
      case undefined:
        return errorResponse(grpcCode.invalidArgument, "nothing is asked");
      default:
        return errorResponse(grpcCode.unimplemented, "extensions are not served: they are options of the proto");
    }
  }

  /** The name of a message, an enum or a service, or of a method or field of one. */
  function fileOf(symbol: string): DescFile | undefined {
    const [whole, parent] = [symbol, symbol.replace(/\.[^.]*$/, "")];
    for (const name of [whole, parent]) {
      const found = registry.get(name);
      if (found !== undefined) return found.file;
    }
    return undefined;
  }

  /** With everything it imports. */
  function fileResponse(file: DescFile | undefined, name: string): NonNullable<Answer["messageResponse"]> {
    if (file === undefined) return errorResponse(grpcCode.notFound, `${name} is not served here`);
    const needed = new Set<DescFile>();
    const need = (one: DescFile) => {
      if (needed.has(one)) return;
      needed.add(one);
      for (const dependency of one.dependencies) need(dependency);
    };
    need(file);
    const fileDescriptorProto = [...needed].map((one) => toBinary(FileDescriptorProtoSchema, one.proto));
    return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
  }
}

const errorResponse = (errorCode: number, errorMessage: string): NonNullable<Answer["messageResponse"]> => ({
  case: "errorResponse",
  value: { errorCode, errorMessage },
});
