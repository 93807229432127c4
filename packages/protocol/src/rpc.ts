/**
 * rpc: the types of a service's two ends, derived from its descriptor. No transport in it.
 *
 * Gives   `RpcClient<typeof HeimdallService>`: what a caller has. `RpcHandlers<typeof HeimdallService, Context>`: what
 *         the server must provide; a missing or wrongly typed method does not compile.
 */
import type { DescMessage, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { GenService, GenServiceMethods } from "@bufbuild/protobuf/codegenv2";

type MethodsOf<S> = S extends GenService<infer M extends GenServiceMethods> ? M : never;

export interface CallOptions {
  /** Ends the call. A unary call then rejects; a stream ends. */
  readonly signal?: AbortSignal;
}

export type RpcClient<S> = {
  readonly [K in keyof MethodsOf<S>]: MethodsOf<S>[K] extends {
    input: infer I extends DescMessage;
    output: infer O extends DescMessage;
    methodKind: infer Kind;
  }
    ? Kind extends "unary"
      ? (request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
      : Kind extends "server_streaming"
        ? (request: MessageInitShape<I>, options?: CallOptions) => AsyncIterable<MessageShape<O>>
        : never
    : never;
};

export type RpcHandlers<S, Context> = {
  readonly [K in keyof MethodsOf<S>]: MethodsOf<S>[K] extends {
    input: infer I extends DescMessage;
    output: infer O extends DescMessage;
    methodKind: infer Kind;
  }
    ? Kind extends "unary"
      ? (request: MessageShape<I>, context: Context) => Promise<MessageInitShape<O>>
      : Kind extends "server_streaming"
        ? (request: MessageShape<I>, context: Context) => AsyncIterable<MessageInitShape<O>>
        : never
    : never;
};
