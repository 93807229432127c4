/** raw-grpc: calls one method with bytes that may be no message at all, and gives the status code. */
import type { DescMethod } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";

export interface RawGrpc {
  send(method: DescMethod, bytes: Uint8Array): Promise<number>;
  /** Begins a call and cancels it at once: to the server, a reset stream. */
  reset(method: DescMethod): void;
  close(): void;
}

export function rawGrpc(address: string, token: string | undefined): RawGrpc {
  const client = new Client(address, credentials.createInsecure());
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  const begin = (method: DescMethod, bytes: Uint8Array, done: (code: number) => void) =>
    client.makeUnaryRequest(
      `/${method.parent.typeName}/${method.name}`,
      (one: Uint8Array) => Buffer.from(one),
      (answer) => answer,
      bytes,
      metadata,
      (error) => done(error?.code ?? 0),
    );
  return {
    send: (method, bytes) => new Promise((resolve) => begin(method, bytes, resolve)),
    reset: (method) => begin(method, new Uint8Array(), () => undefined).cancel(),
    close: () => client.close(),
  };
}
