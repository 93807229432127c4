/**
 * rpc: the services of the server, called in one process: the real mapping on both ends, and no bytes between them.
 *
 * Takes   a service, its handlers, and the link that carries (or loses) each call.
 * Gives   the client that the real programs use.
 * Bound   messages are made as the wire would; only long lists of complete items (`lists`) are handed over as they are.
 */
import { create, type DescMessage, type DescService, type MessageInitShape } from "@bufbuild/protobuf";
import type { RpcClient } from "@reprise/protocol/rpc.ts";
import type { Caller } from "@reprise/server/manager/context.ts";

type Handler = (request: object, caller: Caller) => Promise<object> | AsyncIterable<object>;

/** What carries a call: it may never arrive, arrive twice, or its answer be lost. */
export interface Link {
  unary(name: string, call: (caller: Caller) => Promise<object>): Promise<object>;
  stream(name: string, open: (caller: Caller) => AsyncIterable<object>, signal?: AbortSignal): AsyncIterable<object>;
}

/** @param handlers Gives them anew at each call: the server may have been started again. */
export function clientOver<S extends DescService>(service: S, handlers: () => object, link: Link): RpcClient<S> {
  const handlerOf = (name: string) => (handlers() as Record<string, Handler>)[name]!;
  const calls = service.methods.map((method) => {
    const name = method.localName;
    const unary = (init: object) =>
      link.unary(name, async (caller) => {
        const answer = await (handlerOf(name)(message(method.input, init), caller) as Promise<object>);
        return message(method.output, answer);
      });
    const stream = (init: object, options: { readonly signal?: AbortSignal } = {}) =>
      link.stream(
        name,
        (caller) => handlerOf(name)(message(method.input, init), caller) as AsyncIterable<object>,
        options.signal,
      );
    return [name, method.methodKind === "unary" ? unary : stream];
  });
  return Object.fromEntries(calls) as RpcClient<S>;
}

/** By message type: the list whose items have every field already. */
const lists: Readonly<Record<string, readonly string[]>> = {
  "reprise.v1.ReportPassRequest": ["nodes", "seen"],
  "reprise.v1.ClaimTargetsResponse": ["targets"],
  "reprise.v1.ReportSignalsRequest": ["positions"],
  "reprise.v1.ListWorkResponse": ["work"],
};

function message(schema: DescMessage, init: object): object {
  const names = lists[schema.typeName];
  if (names === undefined) return create(schema, init as MessageInitShape<DescMessage>);
  const given: Record<string, unknown> = { ...init };
  for (const name of names) given[name] = [];
  const made = create(schema, given) as Record<string, unknown>;
  for (const name of names) made[name] = (init as Record<string, unknown>)[name] ?? [];
  return made;
}
