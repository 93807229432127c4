/**
 * grpc-admission: the door of the gRPC listeners: asks who calls before a byte of the message is read.
 *
 * In the loop   headers → **admit** → message → handler
 * Gives         the `Caller` of a call, by the metadata that the handler sees.
 * Fails         with the status of the `Refusal`; `grpc-retry-pushback-ms` says when to come again, which gRPC clients obey.
 * Keeps         a call that was cut gets one status, whatever its handler says later.
 */
import { Metadata, type ServerInterceptor, ServerInterceptingCall, type StatusObject } from "@grpc/grpc-js";
import { toWireError } from "@reprise/protocol/refusal.ts";
import type { Log } from "@reprise/runtime/life.ts";
import type { Caller } from "../manager/context.ts";
import type { Admit, Admitted } from "./admission.ts";
import type { Call, Calls } from "./calls.ts";
import { TooOften } from "./rate.ts";
import { mayCall } from "./roles.ts";

export interface GrpcDoor {
  readonly interceptor: ServerInterceptor;
  callerOf(metadata: Metadata): Caller;
}

export function createGrpcDoor({ admit, calls, log }: { admit: Admit; calls: Calls; log: Log }): GrpcDoor {
  const callers = new WeakMap<Metadata, Caller>();
  const interceptor: ServerInterceptor = ({ path, responseStream }, inner) => {
    const operation = path.slice(1);
    let begun: Call | undefined;
    let isGone = false;
    const refuse = (error: unknown) => inner.sendStatus(statusOf(error, log));
    const begin = (name: string) =>
      calls.begin(responseStream ? "stream" : "unary", name, (why) => {
        // Our own streams end by themselves; health and reflection do not know of it.
        if (!responseStream || mayCall[operation] === "everybody") refuse(why);
      });
    return new ServerInterceptingCall(inner, {
      start(next) {
        next({
          onReceiveMetadata(metadata, pass) {
            const letIn = ({ name, rights }: Admitted) => {
              if (isGone) return;
              begun = begin(name);
              callers.set(metadata, { name, rights, signal: begun.signal });
              pass(metadata);
            };
            admit(operation, metadata.get("authorization")[0]?.toString()).then(letIn).catch(refuse);
          },
          onCancel() {
            isGone = true;
            begun?.end();
          },
        });
      },
      sendStatus(status, next) {
        next(status);
        begun?.end();
      },
    });
  };
  return {
    interceptor,
    callerOf(metadata) {
      const caller = callers.get(metadata);
      if (caller === undefined) throw new Error("a call came in beside the door");
      return caller;
    },
  };
}

/** The status of whatever was thrown; what is no Refusal goes to the log. */
export function statusOf(error: unknown, log: Log): Pick<StatusObject, "code" | "details"> & Partial<StatusObject> {
  const { code, message, cause } = toWireError(error);
  if (cause !== undefined) log.error({ error: cause }, "a call failed");
  if (!(error instanceof TooOften)) return { code, details: message };
  const metadata = new Metadata();
  metadata.set("grpc-retry-pushback-ms", String(error.retryAfterMs));
  return { code, details: message, metadata };
}
