/**
 * Goal    no token is in a log line, in an answer, or in what is stored, whatever a caller does with it.
 * Method  every kind of token, used rightly and wrongly on both transports; then everything that was said is searched.
 */
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { createRpcClient } from "@reprise/protocol/grpc.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { expect, test } from "vitest";
import { call, openGateway, ownersToken } from "./testing/gateway.ts";
import { audience, startIssuer } from "./testing/issuer.ts";

test("tokens are not repeated anywhere", async () => {
  const issuer = await startIssuer();
  const oidc = { issuer: issuer.url, audiences: [audience], rolesClaim: "roles", roleOf: {}, clockSkewMs: 0 };
  const broken = () => Promise.reject(new Error("a bug"));
  const gateway = await openGateway({
    config: { oidc, rate: { perSecond: 1, burst: 1_000 } },
    services: (real) =>
      real.map((one) => ({
        ...one,
        handlerOf: (method) => (method.name === "GetWorkflows" ? broken : one.handlerOf(method)),
      })),
  });
  const viewer = await gateway.tokenOf("viewer");
  const now = systemClock.now();
  const tokens = [
    ownersToken,
    viewer,
    `${viewer.slice(0, -1)}${viewer.endsWith("A") ? "B" : "A"}`,
    await issuer.sign(now),
    await issuer.sign(now, { exp: 1 }),
    await issuer.sign(now, { aud: "others" }),
    "something else entirely",
  ];
  const said: string[] = [];
  for (const token of tokens) {
    for (const base of [gateway.http, gateway.internalHttp]) {
      for (const path of [
        "/v1/jobs",
        "/v1/advice",
        "/v1/workflows",
        "/nowhere",
        `/v1/jobs?token=${token.replace(/ /g, "+")}`,
      ]) {
        const { status, body, headers } = await call(`${base}${path}`, token);
        said.push(JSON.stringify([status, body, [...headers]]));
      }
    }
    const client = createRpcClient(HeimdallService, gateway.grpc, { clock: systemClock, token });
    for (const ask of [() => client.getJobs({}), () => client.getWorkflows({}), () => client.createOrUpdateJob({})])
      said.push(
        String(
          await ask().then(
            () => "in",
            (error: unknown) => error,
          ),
        ),
      );
    client.close();
  }
  said.push(
    JSON.stringify(
      gateway.lines.map(({ fields, message }) => [String((fields as { error?: unknown }).error), fields, message]),
    ),
  );
  said.push(JSON.stringify(await gateway.store.listTokens()));
  expect(
    gateway.lines.some(({ message }) => message === "a request failed"),
    "the bug was logged",
  ).toBe(true);
  for (const token of tokens) {
    const secret = token.slice(-20);
    for (const text of said) expect(text).not.toContain(secret);
  }
});
