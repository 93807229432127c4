/**
 * recovery: what people ask and order: `reprise.v1.RecoveryService`.
 *
 * Gives   Watch: a hint for every change, as it happens. The others have files of their own.
 * Bound   `watchQueueMax` hints wait for a slow reader; then the oldest go (they say only "look").
 */
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { instantToWire } from "@reprise/protocol/wire/instant.ts";
import type { Caller, Manager } from "../context.ts";
import type { Change } from "../store.ts";
import { courseRoute } from "./course.ts";
import { explainRoute } from "./explain.ts";
import { figuresRoute } from "./figures.ts";
import { modeRoutes } from "./mode.ts";
import { nowRoutes } from "./now.ts";
import { nodesRoute } from "./nodes.ts";
import { overrideRoutes } from "./override.ts";
import { shadowRoute } from "./shadow.ts";

const watchQueueMax = 1_000;

export function recoveryRoutes(manager: Manager): RpcHandlers<typeof RecoveryService, Caller> {
  return {
    ...courseRoute(manager),
    ...explainRoute(manager),
    ...figuresRoute(manager),
    ...modeRoutes(manager),
    ...nodesRoute(manager),
    ...nowRoutes(manager),
    ...overrideRoutes(manager),
    ...shadowRoute(manager),
    ...watchRoute(manager),
  };
}

const watchRoute = ({ store, clock }: Manager): Pick<RpcHandlers<typeof RecoveryService, Caller>, "watch"> => ({
  async *watch(_request, { signal }) {
    const queue: Change[] = [];
    let wake = () => {};
    const stop = store.onChange((change) => {
      queue.push(change);
      if (queue.length > watchQueueMax) queue.shift();
      wake();
    });
    const onAbort = () => wake();
    signal.addEventListener("abort", onAbort);
    try {
      while (!signal.aborted) {
        const change = queue.shift();
        if (change !== undefined)
          yield { kind: change.kind, heimdallJobId: change.heimdallJobId, at: instantToWire(clock.now()) };
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      stop();
    }
  },
});
