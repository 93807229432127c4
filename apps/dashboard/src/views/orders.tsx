/**
 * orders: what an operator may order about a job.
 *
 * Keeps   a viewer sees no such control, and the API would refuse him.
 */
import { useState } from "react";
import type { AttemptStoryJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { ForOperators } from "./for-operators.tsx";
import { type Order, OrderDialog } from "./order-dialog.tsx";

export function OrderControls({ jobId, story }: { readonly jobId: string; readonly story: AttemptStoryJson }) {
  const [order, setOrder] = useState<Order>();
  const path = `/reprise/v1/jobs/${encodeURIComponent(jobId)}/override`;
  const advice = story.advice?.at(-1);
  const orders: readonly Order[] = [
    ...(advice?.active === true
      ? [
          {
            word: "Withdraw the Advice",
            explains: "Takes this Advice back; nothing else is advised about this attempt.",
            path: `/reprise/v1/advice/${advice.heimdallJobId}:withdraw`,
            body: { generation: advice.generation },
          },
        ]
      : []),
    {
      word: "Restart now",
      explains: "Restarts the newest attempt, whatever its cause and its budgets; once, uncharged.",
      path,
      body: { action: "restart" },
    },
    { word: "Forbid restarts", explains: "Recovery restarts this job no more.", path, body: { action: "never" } },
    ...((story.overrides ?? []).length > 0
      ? [
          {
            word: "Clear the orders",
            explains: "What was ordered before is over; the rules decide again.",
            path,
            body: { action: "clear" },
          },
        ]
      : []),
  ];
  return (
    <ForOperators>
      <div className="orders">
        {orders.map((one) => (
          <button type="button" key={one.word} onClick={() => setOrder(one)}>
            {one.word}…
          </button>
        ))}
        {order === undefined ? null : (
          <OrderDialog about={`job ${jobId}`} order={order} onClose={() => setOrder(undefined)} />
        )}
      </div>
    </ForOperators>
  );
}
