/**
 * Goal    the public API is what its documents say, on both transports; whoever implements it can be judged by this.
 * Method  the exchanges of the `.http` files beside this one, in order, over HTTP and over gRPC (learnt by reflection), each walk with
 *         names of its own. Against a running server with REPRISE_URL and REPRISE_TOKEN (and REPRISE_GRPC for gRPC); without them
 *         against one started here on its embedded store, on both pairs of its listeners, and then with rubbish.
 */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { grpcCode } from "@reprise/protocol/refusal.ts";
import { mutated, type RawRequest, readCorpus } from "@reprise/protocol/testdata/mutate.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ask } from "./suite/answer.ts";
import { type Exchange, parseExchanges } from "./suite/exchange.ts";
import { overGrpc, type OverGrpc } from "./suite/over-grpc.ts";
import { overHttp } from "./suite/over-http.ts";
import { sendRaw } from "./suite/raw.ts";
import { rawGrpc } from "./suite/raw-grpc.ts";
import { runExchange } from "./suite/run-exchange.ts";
import { hasGrpc, isOurs, serve, type Served } from "./suite/serve.ts";

const files = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".http"))
  .sort()
  .map((name) => ({ name, exchanges: parseExchanges(readFileSync(`${import.meta.dirname}/${name}`, "utf8")) }));

type Pair = "external" | "internal";
let served: Served;
const grpc = new Map<Pair, OverGrpc>();
beforeAll(async () => {
  served = await serve();
  for (const pair of ["external", "internal"] as const) {
    const address = served[pair]?.grpc;
    if (address !== undefined) grpc.set(pair, await overGrpc(address, served.token));
  }
}, 60_000);
afterAll(async () => {
  for (const { close } of grpc.values()) close();
  await served.stop();
});
const learnt = (pair: Pair): OverGrpc => grpc.get(pair) as OverGrpc;

describe.each<Pair>(isOurs ? ["external", "internal"] : ["external"])("the %s listeners", (pair) => {
  describe("over HTTP/JSON", () => {
    walk(
      `${pair[0]}h`,
      () => overHttp(served[pair]?.http ?? "", served.token),
      ({ externalOnly }) => pair === "external" || externalOnly === undefined,
    );
  });
  if (hasGrpc)
    describe("over gRPC", () => {
      walk(
        `${pair[0]}g`,
        () => learnt(pair).ask,
        ({ httpOnly }) => httpOnly === undefined,
      );
    });
});

/** The same for all walks of this run. */
const suite = `suite${systemClock.now().toString(36)}`;

/** One test an exchange. A file's exchanges share what they capture. */
function walk(name: string, ask: () => Ask, isSaid: (exchange: Exchange) => boolean): void {
  const run = `${name}${systemClock.now().toString(36)}`;
  describe.each(files)("$name", ({ name: file, exchanges }) => {
    const given = randomUUID();
    const known = new Map([
      ["suite", suite],
      ["run", `${run}-${file.replace(".http", "")}`],
      ["given", given],
      ["GIVEN", given.toUpperCase()],
    ]);
    for (const exchange of exchanges.filter(isSaid))
      test(exchange.name, { timeout: 90_000 + exchange.times * 1000 }, async () => {
        expect(await runExchange(exchange, ask(), known)).toEqual([]);
      });
  });
}

const corpus = readCorpus(
  readFileSync(new URL("../../packages/protocol/src/testdata/corpus/requests.jsonl", import.meta.url), "utf8"),
);

/** Only one of our own: it leaves rubbish behind. */
if (isOurs)
  describe("whatever is sent", () => {
    const unary = () =>
      learnt("external").services.flatMap(({ methods }) => methods.filter((m) => m.methodKind === "unary"));
    const raw = () => rawGrpc(served.external.grpc ?? "", served.token);

    test("over HTTP/JSON is answered, and never with a failure of the server", async () => {
      const headers = [`authorization: Bearer ${served.token}`];
      await fc.assert(
        fc.asyncProperty(mutated(corpus), async ([method, target, body = ""]) => {
          const status = await sendRaw(served.external.http, { method, target, headers, body });
          const isSwitchedOff = target.startsWith("/v1/keys");
          expect(status >= 200 && (status < 500 || isSwitchedOff), `status ${status}`).toBe(true);
        }),
        { numRuns: 500, examples: corpus.map((request): [RawRequest] => [request]) },
      );
    }, 60_000);

    test("over gRPC is answered, and never as an internal error", async () => {
      const client = raw();
      await fc.assert(
        fc.asyncProperty(fc.nat(1000), fc.uint8Array({ maxLength: 64 }), async (n, bytes) => {
          const methods = unary();
          const code = await client.send(methods[n % methods.length] as (typeof methods)[number], bytes);
          expect([grpcCode.internal, grpcCode.unknown, grpcCode.unavailable]).not.toContain(code);
        }),
        { numRuns: 400 },
      );
      client.close();
    }, 60_000);

    test("and calls that are cancelled as soon as they begin hurt nobody", async () => {
      const client = raw();
      const [first] = unary();
      if (first === undefined) throw new Error("no method");
      for (let n = 0; n < 500; n++) client.reset(first);
      expect(await client.send(first, new Uint8Array())).toBe(grpcCode.ok);
      client.close();
    });
  });
