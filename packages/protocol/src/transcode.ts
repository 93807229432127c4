/**
 * transcode: HTTP/JSON ↔ RPC, from the google.api.http options in the proto.
 *
 * In the loop   HTTP request → **find → read** → the same handler that gRPC calls → **write** → HTTP response
 * Takes         the method and the target (path and query, still percent-encoded); then the body as text.
 * Gives         which RPC it is, early enough to ask who may call it; then its request message.
 * Pure          knows no socket. A request is refused as a value, with its field named; a wrong proto throws at start-up.
 * Keeps         heimdall.v1 ignores unknown fields and names them; reprise.v1 refuses them.
 * Source        google/api/http.proto; api.md, its first paragraph and §1.
 */
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  getOption,
  hasOption,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { Refusal } from "@reprise/core/refusal.ts";
import { http } from "./gen/google/api/annotations_pb.ts";
import type { HttpRule } from "./gen/google/api/http_pb.ts";
import { bindRequest } from "./transcode/bind.ts";
import { decodeSegment, parseQuery } from "./transcode/percent.ts";
import { parseTemplate, type Template } from "./transcode/template.ts";
import { type Hit, Trie } from "./transcode/trie.ts";

/** One HTTP method and path of one RPC. */
export interface Route {
  readonly method: DescMethod;
  /** Upper case. */
  readonly httpMethod: string;
  /** As the proto has it. */
  readonly path: string;
  readonly template: Template;
  /** `whole`: the body is the request; a field: the body is that field; absent: there is none. */
  readonly body: "whole" | DescField | undefined;
}

export type Read =
  | { readonly kind: "read"; readonly request: Message; readonly ignoredFields: readonly string[] }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export type Found =
  | { readonly kind: "found"; readonly route: Route; readonly read: (bodyText: string) => Read }
  /** 404: no RPC has this path. */
  | { readonly kind: "no-such-path" }
  /** 405: for the header `Allow`. */
  | { readonly kind: "other-methods"; readonly allowed: readonly string[] }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export interface Transcoder {
  readonly routes: readonly Route[];
  /** @param target Path and query as they came, e.g. `/v1/jobs/95_1-0?useHeimdallId=false`. */
  find(httpMethod: string, target: string): Found;
}

/** @throws on a rule that names no field, that two RPCs share, or that uses what we do not support. */
export function createTranscoder(services: readonly DescService[]): Transcoder {
  const routes = services.flatMap((service) => service.methods.flatMap(routesOf));
  const trie = new Trie<Route>();
  for (const route of routes) trie.add(route.httpMethod, route.template, route);
  return {
    routes,
    find: (httpMethod, target) => {
      const found = refusable(() => lookUp(trie, httpMethod, target));
      return found instanceof Refusal ? { kind: "refused", refusal: found } : found;
    },
  };
}

/** The body of a response. Unset optional fields are absent; everything else is there, also when it is 0 or empty. */
export function writeJson(message: DescMessage, response: Message): string {
  return JSON.stringify(toJson(message, response, { alwaysEmitImplicit: true }));
}

/** One message of a server stream as a server-sent event, with its `event_id` where it has one. JSON has no line break in it. */
export function writeEvent(message: DescMessage, response: Message): string {
  const { eventId } = response as { readonly eventId?: unknown };
  const id = typeof eventId === "string" && /^[\w.-]+$/.test(eventId) ? `id: ${eventId}\n` : "";
  return `${id}data: ${writeJson(message, response)}\n\n`;
}

/** For the header `Reprise-Ignored-Fields`: the caller's own names, made safe for a header, and not too many. */
export function ignoredFieldsHeader(names: readonly string[]): string {
  const safe = names
    .slice(0, ignoredNamesMax)
    .map((name) => encodeURI(name.slice(0, 64).toWellFormed()).replaceAll(",", "%2C"));
  return names.length > ignoredNamesMax
    ? `${safe.join(", ")}, and ${names.length - ignoredNamesMax} more`
    : safe.join(", ");
}
const ignoredNamesMax = 20;

function routesOf(method: DescMethod): readonly Route[] {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  return [rule, ...rule.additionalBindings].map((one) => routeOf(method, one));
}

function routeOf(method: DescMethod, { pattern, body, responseBody }: HttpRule): Route {
  const where = `http rule of ${method.parent.typeName}.${method.name}`;
  if (pattern.case === undefined || pattern.case === "custom" || responseBody !== "")
    throw new Error(`${where}: not supported`);
  const template = parseTemplate(pattern.value);
  const variables = template.segments.filter((segment) => segment.kind === "variable");
  for (const { field } of variables) {
    if (fieldOf(method, field, where).fieldKind !== "scalar") throw new Error(`${where}: ${field} is no scalar`);
  }
  return {
    method,
    httpMethod: pattern.case.toUpperCase(),
    path: pattern.value,
    template,
    body: body === "" ? undefined : body === "*" ? "whole" : fieldOf(method, body, where),
  };
}

function fieldOf(method: DescMethod, name: string, where: string): DescField {
  const field = method.input.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${where}: ${method.input.typeName} has no field ${name}`);
  return field;
}

function lookUp(trie: Trie<Route>, httpMethod: string, target: string): Found {
  const [, path = "", query = ""] = /^([^?#]*)(?:\?([^#]*))?/.exec(target) ?? [];
  const hits = findHits(trie, path);
  for (const { byMethod, values } of hits) {
    const route = byMethod.get(httpMethod.toUpperCase());
    if (route !== undefined) return { kind: "found", route, read: (bodyText) => read(route, values, query, bodyText) };
  }
  if (hits.length === 0) return { kind: "no-such-path" };
  return { kind: "other-methods", allowed: [...new Set(hits.flatMap(({ byMethod }) => [...byMethod.keys()]))].sort() };
}

/** `x:verb` is a verb where a rule has it, and otherwise part of the value: a job ID may hold a colon. */
function findHits(trie: Trie<Route>, path: string): readonly Hit<Route>[] {
  if (!path.startsWith("/")) return [];
  const raw = path.slice(1).split("/");
  const last = raw.at(-1) ?? "";
  const colon = last.lastIndexOf(":");
  const withVerb =
    colon < 0 ? [] : trie.find([...raw.slice(0, -1), last.slice(0, colon)].map(decodeSegment), last.slice(colon + 1));
  return [...withVerb, ...trie.find(raw.map(decodeSegment), "")];
}

function read(route: Route, values: readonly string[], query: string, bodyText: string): Read {
  const answer = refusable(() => {
    const bound = bindRequest(route.method.input, {
      path: pathFields(route, values),
      query: parseQuery(query),
      body: route.body,
      bodyText,
    });
    const [unknown] = bound.unknown;
    if (unknown !== undefined && !ignoresUnknown(route)) {
      throw new Refusal("invalid", `${unknown}: ${route.method.input.typeName} has no such field`);
    }
    return bound;
  });
  if (answer instanceof Refusal) return { kind: "refused", refusal: answer };
  return { kind: "read", request: answer.request, ignoredFields: answer.unknown };
}

/** The `i`th variable of the template names the field of the `i`th value. */
function pathFields({ method, template }: Route, values: readonly string[]): ReadonlyMap<DescField, string> {
  const variables = template.segments.filter((segment) => segment.kind === "variable");
  return new Map(variables.map(({ field }, i) => [fieldOf(method, field, method.name), values[i] ?? ""]));
}

/** Clients of the original may send what its documents did not show; a client of ours that does has a mistake. */
const ignoresUnknown = ({ method }: Route): boolean => method.parent.file.proto.package === "heimdall.v1";

/** An expected no as a value; a bug is thrown on. */
function refusable<T>(work: () => T): T | Refusal {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
}
