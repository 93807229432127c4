/**
 * grpc: the gRPC side of the gateway: grpc-js with protobuf-es.
 *
 * In the loop   call → who calls → **the same handler as HTTP** → answer
 * Fails         the code of the `Refusal`; anything else is INTERNAL, with its cause in the log.
 * Bound         `limits.passBytesMax` a message.
 */
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  type ServerWritableStream,
  type UntypedHandleCall,
} from "@grpc/grpc-js";
import type { Message } from "@bufbuild/protobuf";
import { channelOptions, serviceDefinition } from "@reprise/protocol/grpc.ts";
import { toWireError } from "@reprise/protocol/refusal.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Handler, Service } from "./services.ts";
import type { Authenticate } from "./token.ts";

export interface GrpcDeps {
  readonly services: readonly Service[];
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export function createGrpcServer(deps: GrpcDeps): Server {
  const server = new Server(channelOptions);
  for (const { desc, handlerOf } of deps.services) {
    const calls: Record<string, UntypedHandleCall> = {};
    for (const method of desc.methods) {
      const handler = handlerOf(method);
      calls[method.localName] =
        method.methodKind === "server_streaming" ? streaming(handler, deps) : unary(handler, deps);
    }
    server.addService(serviceDefinition(desc), calls);
  }
  return server;
}

interface Call {
  readonly metadata: { get(key: string): (string | Buffer)[] };
  on(event: "cancelled", listener: () => void): unknown;
}

/** Who calls, and until when: until the caller hangs up or the server stops. */
function callerOf(call: Call, { authenticate, signal }: GrpcDeps) {
  const name = authenticate(call.metadata.get("authorization")[0]?.toString());
  const hangUp = new AbortController();
  call.on("cancelled", () => hangUp.abort());
  return { name, signal: AbortSignal.any([hangUp.signal, signal]) };
}

function unary(handler: Handler, deps: GrpcDeps): handleUnaryCall<Message, object> {
  return (call, callback) => {
    const run = async () => (await handler(call.request, callerOf(call, deps))) as object;
    run().then(
      (answer) => callback(null, answer),
      (error: unknown) => callback(wireStatus(error, deps.log)),
    );
  };
}

function streaming(handler: Handler, deps: GrpcDeps): handleServerStreamingCall<Message, object> {
  return (call) => {
    pump(handler, call, deps).then(
      () => call.end(),
      (error: unknown) => call.destroy(Object.assign(new Error("stream"), wireStatus(error, deps.log))),
    );
  };
}

async function pump(handler: Handler, call: ServerWritableStream<Message, object>, deps: GrpcDeps): Promise<void> {
  const caller = callerOf(call, deps);
  for await (const message of handler(call.request, caller) as AsyncIterable<object>) {
    if (!call.write(message))
      await new Promise<void>((resolve) => call.once("drain", resolve).once("cancelled", resolve));
  }
}

function wireStatus(error: unknown, log: Log): { code: number; details: string } {
  const { code, message, cause } = toWireError(error);
  if (cause !== undefined) log.error({ error: cause }, "a call failed");
  return { code, details: message };
}
