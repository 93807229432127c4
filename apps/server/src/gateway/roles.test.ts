/**
 * Goal    each role may make exactly the calls below, on both transports and both pairs; and no call is without its row.
 * Method  the matrix as it was agreed, written by hand; a gateway whose handlers answer nothing, asked once for every cell. Each row is one
 *         test. V viewer, O operator, C controller, W watcher; everybody: also without a token.
 */
import type { DescMethod } from "@bufbuild/protobuf";
import { AccessService } from "@reprise/protocol/gen/reprise/v1/access_pb.ts";
import { createRpcClient } from "@reprise/protocol/grpc.ts";
import { createTranscoder } from "@reprise/protocol/transcode.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { describe, expect, test } from "vitest";
import { type Role, roles } from "../manager/token-record.ts";
import { answersNothing, call, openGateway, ownersToken } from "./testing/gateway.ts";
import { createAdmission } from "./admission.ts";
import { mayCall, type Right } from "./roles.ts";
import { servicesOf, signInServiceOf } from "./services.ts";

const matrix: Readonly<Record<string, string>> = {
  GetJobs: "V O C W",
  CreateOrUpdateJob: "    C  ",
  GetJob: "V O C W",
  GetJobsBySchedulerId: "V O C W",
  GetWorkflows: "V O C W",
  GetWorkflow: "V O C W",
  ListAdvice: "V O C  ",
  UpdateAdviceReconciliationStatus: "    C  ",
  GetRecoverySequence: "V O C  ",
  RecordRecoveryMilestone: "    C  ",
  GetAuditEvents: "V O C  ",
  CreateAuditEvents: "    C W",
  ReportPass: "    C  ",
  AcquireLease: "    C  ",
  ListWork: "    C  ",
  ReportSignals: "      W",
  ReportNodeLines: "      W",
  ReportCourses: "      W",
  ClaimTargets: "      W",
  ClaimNodeLogs: "      W",
  WhoAmI: "V O C W",
  Now: "V O C  ",
  ListJobs: "V O C  ",
  Explain: "V O C  ",
  Course: "V O C  ",
  Figures: "V O C  ",
  Shadow: "V O C  ",
  ListNodes: "V O C  ",
  GetMode: "V O C  ",
  Watch: "V O C W",
  SetOverride: "  O    ",
  WithdrawAdvice: "  O    ",
  SetMode: "  O    ",
  SetBrake: "  O    ",
  ClearNode: "  O    ",
  CreateToken: "       ",
  ListTokens: "       ",
  RevokeToken: "       ",
  GetSignIn: "everybody",
  SignIn: "everybody",
};
const letterOf: Readonly<Record<Role, string>> = { viewer: "V", operator: "O", controller: "C", watcher: "W" };

/** No route is called. */
const external = [...servicesOf({} as Parameters<typeof servicesOf>[0]), signInServiceOf(undefined)].map(
  ({ desc }) => desc,
);
const services = [...external, AccessService];
const methods = services.flatMap((service) => service.methods);
const isInternalOnly = (method: DescMethod) => method.parent === AccessService;
const isOpen = (method: DescMethod) => matrix[method.name] === "everybody";
const routes = createTranscoder(services).routes;

type Said = "in" | "unauthenticated" | "forbidden" | "not there";

async function overHttp(base: string, method: DescMethod, token: string | undefined): Promise<Said> {
  const route = routes.find((one) => one.method === method);
  const path = (route?.path ?? "").replace(/\{\w+\}/g, "1");
  const { httpMethod = "GET" } = route ?? {};
  const body = httpMethod === "GET" ? {} : { body: "{}" };
  const { status } = await call(`${base}${path}`, token, { method: httpMethod, ...body });
  return status === 401 ? "unauthenticated" : status === 403 ? "forbidden" : status === 404 ? "not there" : "in";
}

async function overGrpc(address: string, method: DescMethod, token: string | undefined): Promise<Said> {
  const client = createRpcClient(method.parent, address, {
    clock: systemClock,
    ...(token === undefined ? {} : { token }),
  });
  try {
    const ask = (client as unknown as Record<string, (request: object) => Promise<object> | AsyncIterable<object>>)[
      method.localName
    ];
    const answer = ask?.({});
    if (answer !== undefined && Symbol.asyncIterator in answer) for await (const _ of answer);
    else await answer;
    return "in";
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "unauthenticated" || code === "forbidden") return code;
    return code === "unimplemented" ? "not there" : "in";
  } finally {
    client.close();
  }
}

test("every RPC has its row, in the table and here", () => {
  const names = methods.map(({ parent, name }) => `${parent.typeName}/${name}`);
  expect(Object.keys(mayCall).filter((name) => !name.startsWith("grpc."))).toEqual(expect.arrayContaining(names));
  expect(Object.keys(matrix).toSorted()).toEqual(methods.map(({ name }) => name).toSorted());
  for (const name of Object.keys(mayCall)) if (!name.startsWith("grpc.")) expect(names).toContain(name);
});

test("a call that nobody thought of is the owner's alone", async () => {
  const identity = (right: Right) => ({ name: "x", key: "x", rights: new Set([right]) });
  for (const right of [...roles, "owner"] as const) {
    const authenticate = () => Promise.resolve(identity(right));
    const admit = createAdmission({
      authenticate,
      pair: "internal",
      rate: { perSecond: 0, burst: 0 },
      takeCall: () => 0,
    });
    const said = await admit("reprise.v1.NewService/NewCall", undefined)
      .then(({ name }) => name)
      .catch((error: unknown) => (error as { code: string }).code);
    expect(said).toBe(right === "owner" ? "x" : "forbidden");
  }
});

describe("who may call", async () => {
  for (const method of methods) {
    test(`${method.name}: ${matrix[method.name]?.trim() || "the owner alone"}`, async () => {
      const gateway = await openGateway({ services: answersNothing });
      const asks = [
        { ask: overHttp, external: gateway.http, internal: gateway.internalHttp },
        { ask: overGrpc, external: gateway.grpc, internal: gateway.internalGrpc },
      ];
      for (const { ask, external: outside, internal: inside } of asks) {
        for (const role of roles) {
          const token = await gateway.tokenOf(role);
          const may: Said =
            isOpen(method) || matrix[method.name]?.includes(letterOf[role]) === true ? "in" : "forbidden";
          const isInside = isOpen(method) || role === "controller" || role === "watcher";
          const what = `${ask.name} ${role}`;
          expect(await ask(outside, method, token), what).toBe(isInternalOnly(method) ? "not there" : may);
          expect(await ask(inside, method, token), `${what}, internal`).toBe(isInside ? may : "forbidden");
        }
        expect(await ask(outside, method, ownersToken)).toBe(isInternalOnly(method) ? "not there" : "in");
        expect(await ask(inside, method, ownersToken)).toBe("in");
        for (const nobody of [undefined, "guessed", `reprise_0123456789ab_${"A".repeat(43)}`]) {
          expect(await ask(inside, method, nobody)).toBe(isOpen(method) ? "in" : "unauthenticated");
        }
      }
    });
  }
});
