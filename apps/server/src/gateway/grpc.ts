/**
 * grpc: the gRPC side of the gateway: grpc-js with protobuf-es.
 *
 * In the loop   call → who calls → **the same handler as HTTP** → answer
 * Fails         the code of the `Refusal`; anything else is INTERNAL, with its cause in the log.
 * Bound         `bytesMax` a message, `limits.streamsPerConnectionMax` calls at once on a connection.
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
import { Refusal } from "@reprise/core/refusal.ts";
import { limits } from "@reprise/core/limits.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Admit } from "./admission.ts";
import type { Calls } from "./calls.ts";
import { createGrpcDoor, type GrpcDoor, statusOf } from "./grpc-admission.ts";
import { addHealth } from "./health.ts";
import { addReflection } from "./reflection.ts";
import type { Handler, Service } from "./services.ts";

/** A connection that says nothing is asked whether it lives, and goes in the end; its caller makes another one. */
const bounds = {
  "grpc.max_concurrent_streams": limits.streamsPerConnectionMax,
  "grpc.keepalive_time_ms": 60_000,
  "grpc.keepalive_timeout_ms": 20_000,
  "grpc.max_connection_idle_ms": 15 * 60_000,
};

export interface GrpcDeps {
  readonly services: readonly Service[];
  readonly admit: Admit;
  readonly calls: Calls;
  /** Of one message. */
  readonly bytesMax: number;
  readonly isReady: () => boolean;
  readonly log: Log;
}

export function createGrpcServer(deps: GrpcDeps): Server {
  const door = createGrpcDoor(deps);
  const server = new Server({
    ...channelOptions,
    ...bounds,
    "grpc.max_receive_message_length": deps.bytesMax,
    interceptors: [door.interceptor],
  });
  for (const { desc, handlerOf } of deps.services) {
    const calls: Record<string, UntypedHandleCall> = {};
    for (const method of desc.methods) {
      const handler = handlerOf(method);
      calls[method.localName] =
        method.methodKind === "server_streaming" ? streaming(handler, door, deps.log) : unary(handler, door, deps.log);
    }
    server.addService(serviceDefinition(desc), calls);
  }
  const descs = deps.services.map(({ desc }) => desc);
  addHealth(server, descs, deps.isReady);
  addReflection(server, descs);
  return server;
}

function unary(handler: Handler, door: GrpcDoor, log: Log): handleUnaryCall<Message, object> {
  return (call, callback) => {
    const run = async () => (await handler(readable(call.request), door.callerOf(call.metadata))) as object;
    run().then(
      (answer) => callback(null, answer),
      (error: unknown) => callback(statusOf(error, log)),
    );
  };
}

function streaming(handler: Handler, door: GrpcDoor, log: Log): handleServerStreamingCall<Message, object> {
  return (call) => {
    pump(handler, call, door).then(
      () => call.end(),
      (error: unknown) => call.destroy(Object.assign(new Error("stream"), statusOf(error, log))),
    );
  };
}

/** Bytes that are no such message come as the refusal of them: only here a refusal can be answered. */
function readable(request: Message | Refusal): Message {
  if (request instanceof Refusal) throw request;
  return request;
}

async function pump(handler: Handler, call: ServerWritableStream<Message, object>, door: GrpcDoor): Promise<void> {
  const caller = door.callerOf(call.metadata);
  for await (const message of handler(readable(call.request), caller) as AsyncIterable<object>) {
    if (!call.write(message))
      await new Promise<void>((resolve) => call.once("drain", resolve).once("cancelled", resolve));
  }
}
