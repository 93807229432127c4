/**
 * grpc: protobuf-es services on grpc-js, both ends.
 *
 * Gives   `serviceDefinition` for a server; `createRpcClient` for a caller, with promises and async iterables.
 * Fails   a client call rejects with the `Refusal` that the server threw; a server that cannot be reached is
 *         `Refusal("unavailable", …)`, a late one `Refusal("deadline", …)`; a bug of the server is a plain Error.
 * Bound   `limits.passBytesMax` a message; every unary call has a deadline; reconnects within 2 s.
 *
 * The only file of this package that a browser cannot load.
 */
import { readFileSync } from "node:fs";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { DescMessage, DescMethod, DescService, MessageInitShape } from "@bufbuild/protobuf";
import {
  type CallOptions as GrpcCallOptions,
  type ChannelOptions,
  Client,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError,
} from "@grpc/grpc-js";
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { fromWireError, grpcCode } from "./refusal.ts";
import type { CallOptions, RpcClient } from "./rpc.ts";

/** For `new Server(channelOptions)` and for clients. */
export const channelOptions: ChannelOptions = {
  "grpc.max_receive_message_length": limits.passBytesMax,
  "grpc.max_send_message_length": limits.passBytesMax,
  // A server that comes back is used again within seconds; grpc-js would wait up to two minutes.
  "grpc.initial_reconnect_backoff_ms": 200,
  "grpc.max_reconnect_backoff_ms": 2_000,
};

/**
 * For a server. Keyed by the methods' local names (`getJobs`), as `RpcHandlers` is. A handler may answer with an init object.
 * A request that cannot be read comes to it as a `Refusal`: grpc-js would call it an internal error.
 */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(
    service.methods.map((method) => {
      const definition = methodDefinition(method);
      return [method.localName, { ...definition, requestDeserialize: refusing(definition.requestDeserialize, method) }];
    }),
  );
}

const refusing =
  (read: (bytes: Buffer) => unknown, { input }: DescMethod) =>
  (bytes: Buffer) => {
    try {
      return read(bytes);
    } catch (error) {
      return new Refusal("invalid", `request: not a ${input.typeName}: ${(error as Error).message}`);
    }
  };

function methodDefinition(method: DescMethod): MethodDefinition<unknown, unknown> {
  const [request, response] = [codec(method.input), codec(method.output)];
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming",
    responseStream: method.methodKind === "server_streaming" || method.methodKind === "bidi_streaming",
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    responseSerialize: response.serialize,
    responseDeserialize: response.deserialize,
    originalName: method.localName,
  };
}

function codec(message: DescMessage) {
  return {
    serialize: (value: unknown): Buffer =>
      Buffer.from(toBinary(message, create(message, value as MessageInitShape<DescMessage>))),
    deserialize: (bytes: Buffer): unknown => fromBinary(message, bytes),
  };
}

/** PEM files, read when the client is made. */
export interface ClientTls {
  /** The authority that the server's certificate must be of. */
  readonly caFile: string;
  /** Where the server asks for a certificate of its caller; both or neither. */
  readonly certFile?: string;
  readonly keyFile?: string;
  /** The name in the server's certificate, where it is not the host of its address. */
  readonly serverName?: string;
}

export interface RpcClientOptions {
  readonly clock: { now(): Instant };
  /** Of a unary call. Default `limits.requestDeadlineMs`. A stream has none. */
  readonly deadlineMs?: number;
  /** The bearer token itself… */
  readonly token?: string;
  /** …or a file that holds it, read at every call: a renewed token is used without a restart. */
  readonly tokenFile?: string;
  /** Absent: cleartext. */
  readonly tls?: ClientTls;
}

/**
 * @param address `host:port`.
 * @returns One method for each RPC. Connects at the first call; `close` ends all calls.
 */
export function createRpcClient<S extends DescService>(
  service: S,
  address: string,
  options: RpcClientOptions,
): RpcClient<S> & { close(): void } {
  const client = connect(address, options.tls);
  const call = new Caller(client, address, options);
  const methods = service.methods.map((method) => {
    const definition = methodDefinition(method);
    if (definition.requestStream) throw new Error(`${method.name}: a stream of requests is not supported`);
    return [
      method.localName,
      (request: unknown, how: CallOptions = {}) =>
        definition.responseStream ? call.stream(definition, request, how) : call.unary(definition, request, how),
    ];
  });
  return { ...Object.fromEntries(methods), close: () => client.close() } as RpcClient<S> & { close(): void };
}

function connect(address: string, tls: ClientTls | undefined): Client {
  if (tls === undefined) return new Client(address, credentials.createInsecure(), channelOptions);
  const { caFile, certFile, keyFile, serverName } = tls;
  const own = certFile === undefined || keyFile === undefined ? [] : [readPem(keyFile), readPem(certFile)];
  const name = serverName === undefined ? {} : { "grpc.ssl_target_name_override": serverName };
  return new Client(address, credentials.createSsl(readPem(caFile), ...own), { ...channelOptions, ...name });
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new Refusal("precondition", `certificate file ${path} cannot be read: ${(error as Error).message}`);
  }
}

type Definition = MethodDefinition<unknown, unknown>;

class Caller {
  private readonly client: Client;
  private readonly address: string;
  private readonly options: RpcClientOptions;

  constructor(client: Client, address: string, options: RpcClientOptions) {
    this.client = client;
    this.address = address;
    this.options = options;
  }

  async unary(method: Definition, request: unknown, { signal }: CallOptions): Promise<unknown> {
    signal?.throwIfAborted();
    const { clock, deadlineMs = limits.requestDeadlineMs } = this.options;
    const metadata = this.metadata();
    const deadline: GrpcCallOptions = { deadline: clock.now() + deadlineMs };
    return await new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, response?: unknown) => {
        signal?.removeEventListener("abort", cancel);
        if (error === null) resolve(response);
        else reject(isAborted(signal) ? signal?.reason : this.refusal(error));
      };
      const call = this.client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        deadline,
        done,
      );
      const cancel = () => call.cancel();
      signal?.addEventListener("abort", cancel);
    });
  }

  async *stream(method: Definition, request: unknown, { signal }: CallOptions): AsyncIterable<unknown> {
    if (isAborted(signal)) return;
    const call = this.client.makeServerStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      this.metadata(),
    );
    const cancel = () => call.cancel();
    signal?.addEventListener("abort", cancel);
    try {
      for await (const message of call) yield message;
    } catch (error) {
      if (!isAborted(signal)) throw this.refusal(error);
    } finally {
      signal?.removeEventListener("abort", cancel);
      call.cancel(); // The reader may have left the loop.
    }
  }

  private metadata(): Metadata {
    const metadata = new Metadata();
    const token = this.token();
    if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
    return metadata;
  }

  private token(): string | undefined {
    const { token, tokenFile } = this.options;
    if (token !== undefined || tokenFile === undefined) return token;
    try {
      return readFileSync(tokenFile, "utf8").trim();
    } catch (error) {
      throw new Refusal("unauthenticated", `token file ${tokenFile} cannot be read: ${(error as Error).message}`);
    }
  }

  private refusal(thrown: unknown): unknown {
    const { code, details } = thrown as Partial<ServiceError>;
    if (typeof code !== "number" || details === undefined) return thrown;
    return fromWireError(code, code === grpcCode.unavailable ? `${this.address}: ${details}` : details);
  }
}

/** A function, so that no compiler believes it stays false over an await. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;
