/**
 * recovery: what people ask and order: `reprise.v1.RecoveryService`.
 *
 * Gives   Watch: a hint for every change, as it happens (`change-log.ts`). The others have files of their own.
 */
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { instantToWire } from "@reprise/protocol/wire/instant.ts";
import { createChangeLog } from "../change-log.ts";
import type { Caller, Manager } from "../context.ts";
import { courseRoute } from "./course.ts";
import { explainRoute } from "./explain.ts";
import { figuresRoute } from "./figures.ts";
import { modeRoutes } from "./mode.ts";
import { nowRoutes } from "./now.ts";
import { nodesRoute } from "./nodes.ts";
import { overrideRoutes } from "./override.ts";
import { shadowRoute } from "./shadow.ts";

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

function watchRoute({ store, clock }: Manager): Pick<RpcHandlers<typeof RecoveryService, Caller>, "watch"> {
  const changes = createChangeLog(store);
  return {
    async *watch({ lastEventId }, { signal }) {
      for await (const told of changes.follow(lastEventId, signal)) yield { ...told, at: instantToWire(clock.now()) };
    },
  };
}
