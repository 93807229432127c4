/**
 * call-metrics: how many calls there are, how long they take and how they end; and who is refused at the door.
 *
 * In the loop   call → **admit** → **handler** → answer
 * Keeps         both transports are counted alike, because they share the handlers; nothing of what a call does is changed.
 */
import { Refusal, refusalCodes } from "@reprise/core/refusal.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { callBuckets, type Metrics } from "@reprise/runtime/metrics.ts";
import type { Admit } from "./admission.ts";
import type { PairPlan } from "./listeners.ts";
import type { Handler, Service } from "./services.ts";

const ends = ["ok", "bug", ...refusalCodes] as const;

export interface CallMetrics {
  measured(services: readonly Service[]): readonly Service[];
  atTheDoor(plan: PairPlan): PairPlan;
}

/** @param all Every service that will be measured: the names of their calls are the values of a label. */
export function createCallMetrics(
  metrics: Metrics,
  clock: Pick<Clock, "elapsed">,
  all: readonly Service[],
): CallMetrics {
  const rpcs = all.flatMap(({ desc }) => desc.methods.map((method) => `${desc.name}/${method.name}`));
  const seconds = metrics.spread({
    name: "reprise_server_call_seconds",
    help: "From the whole request to the answer, of unary calls that were let in.",
    labels: { rpc: rpcs, code: ends },
    buckets: callBuckets,
  });
  const streams = metrics.level({
    name: "reprise_server_streams",
    help: "Streams that are open.",
    labels: { rpc: rpcs },
  });
  const refused = metrics.count({
    name: "reprise_server_refused_calls_total",
    help: "Calls that were refused before anything of them was read, by why.",
    labels: { pair: ["external", "internal"], code: ["bug", ...refusalCodes] },
  });

  function unary(rpc: string, handler: Handler): Handler {
    return async (request, caller) => {
      const began = clock.elapsed();
      const told = (code: string) => seconds.observe({ rpc, code }, (clock.elapsed() - began) / 1_000);
      try {
        const answer = await (handler(request, caller) as Promise<object>);
        told("ok");
        return answer;
      } catch (error) {
        told(codeOf(error));
        throw error;
      }
    };
  }

  function streaming(rpc: string, handler: Handler): Handler {
    return async function* (request, caller) {
      streams.raise({ rpc }, 1);
      try {
        yield* handler(request, caller) as AsyncIterable<object>;
      } finally {
        streams.raise({ rpc }, -1);
      }
    };
  }

  const admitted =
    (pair: PairPlan["pair"], admit: Admit): Admit =>
    async (...asked) => {
      try {
        return await admit(...asked);
      } catch (error) {
        refused.add({ pair, code: codeOf(error) });
        throw error;
      }
    };

  return {
    measured: (services) =>
      services.map(({ desc, handlerOf }) => ({
        desc,
        handlerOf(method) {
          const [rpc, handler] = [`${desc.name}/${method.name}`, handlerOf(method)];
          return method.methodKind === "server_streaming" ? streaming(rpc, handler) : unary(rpc, handler);
        },
      })),
    atTheDoor: (plan) => ({ ...plan, admit: admitted(plan.pair, plan.admit) }),
  };
}

const codeOf = (error: unknown): string => (error instanceof Refusal ? error.code : "bug");
