/**
 * services: every RPC that the gateway serves, with its handler. Both transports serve it.
 *
 * Keeps   a method of the contract without a handler does not compile (`RpcHandlers`).
 */
import type { DescMethod, DescService, Message } from "@bufbuild/protobuf";
import { AuditService } from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import { HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { AccessService } from "@reprise/protocol/gen/reprise/v1/access_pb.ts";
import { SignInService } from "@reprise/protocol/gen/reprise/v1/sign_in_pb.ts";
import {
  ObservationService,
  RecoveryService,
  SignalService,
  WatchService,
} from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { Caller, Manager } from "../manager/context.ts";
import type { AuditQueue } from "../manager/audit/audit-queue.ts";
import { auditRoutes } from "../manager/routes/audit.ts";
import { heimdallRoutes } from "../manager/routes/heimdall.ts";
import { observationRoutes } from "../manager/routes/observation.ts";
import { recoveryRoutes } from "../manager/routes/recovery.ts";
import { watchingRoutes } from "../manager/routes/watching.ts";
import { accessRoutes } from "./access-routes.ts";
import type { SignIn } from "./sign-in.ts";
import { signInRoutes } from "./sign-in-routes.ts";
import type { TokenBook } from "./token-book.ts";

/** A unary handler gives a promise, a streaming one an async iterable; the method's kind says which. */
export type Handler = (request: Message, caller: Caller) => Promise<object> | AsyncIterable<object>;

export interface Service {
  readonly desc: DescService;
  readonly handlerOf: (method: DescMethod) => Handler;
}

export function servicesOf(manager: Manager & { readonly audit: AuditQueue }): readonly Service[] {
  return [
    service(HeimdallService, heimdallRoutes(manager)),
    service(AuditService, auditRoutes(manager, manager.audit)),
    service(ObservationService, observationRoutes(manager)),
    service(SignalService, watchingRoutes(manager)),
    service(WatchService, watchingRoutes(manager)),
    service(RecoveryService, recoveryRoutes(manager)),
  ];
}

/** For whoever is not signed in yet. */
export const signInServiceOf = (signIn: SignIn | undefined): Service => service(SignInService, signInRoutes(signIn));

/** What only the internal listeners serve. */
export const internalServicesOf = ({ clock }: Manager, book: TokenBook): readonly Service[] => [
  service(AccessService, accessRoutes(book, clock)),
];

/** A service with the routes that serve it, each by the local name of its method. */
export function service(desc: DescService, routes: object): Service {
  const handlers = new Map<string, unknown>(Object.entries(routes));
  return {
    desc,
    handlerOf(method) {
      const handler = handlers.get(method.localName);
      if (typeof handler !== "function") throw new Error(`${method.parent.typeName}.${method.name} has no handler`);
      return handler as Handler;
    },
  };
}
