/**
 * orders: what an operator may order about a job: each with a reason, and with what would follow, before it does.
 *
 * Keeps   a viewer sees no such control, and the API would refuse him; nothing is ordered without a preview of its effect.
 */
import { useEffect, useRef, useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { AttemptStoryJson, SetOverrideResponseJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { ask } from "../api/client.ts";
import { meQuery } from "../api/queries.ts";
import { printable } from "../words/printable.ts";

const reasonMax = 500;

interface Order {
  readonly word: string;
  readonly explains: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export function OrderControls({ jobId, story }: { readonly jobId: string; readonly story: AttemptStoryJson }) {
  const me = useQuery(meQuery());
  const [order, setOrder] = useState<Order>();
  if (me.data === undefined) return null;
  if (me.data.mayOrder !== true)
    return (
      <p className="faint">Orders need the role operator; you have {(me.data.roles ?? []).join(", ") || "none"}.</p>
    );
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
    <div className="orders">
      {orders.map((one) => (
        <button type="button" key={one.word} onClick={() => setOrder(one)}>
          {one.word}…
        </button>
      ))}
      {order === undefined ? null : <OrderDialog jobId={jobId} order={order} onClose={() => setOrder(undefined)} />}
    </div>
  );
}

type Preview = { readonly kind: "effect" | "refused" | "asking"; readonly says: string };

/** What would follow from it, and, once it is given, what does. */
function useOrder(order: Order) {
  const queries = useQueryClient();
  const [preview, setPreview] = useState<Preview>({ kind: "asking", says: "Asking what would follow…" });
  const [given, setGiven] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    ask<SetOverrideResponseJson>(order.path, gone.signal, { ...order.body, reason: "preview", preview: true })
      .then(({ effect = "" }) => setPreview({ kind: "effect", says: effect }))
      .catch((error: unknown) => {
        if (!gone.signal.aborted) setPreview({ kind: "refused", says: wordsOf(error) });
      });
    return () => gone.abort();
  }, [order]);

  async function give(reason: string): Promise<void> {
    try {
      const { effect = "" } = await ask<SetOverrideResponseJson>(order.path, undefined, {
        ...order.body,
        reason: reason.trim(),
      });
      setGiven(effect);
      await queries.invalidateQueries();
    } catch (error) {
      setPreview({ kind: "refused", says: wordsOf(error) });
    }
  }

  return { preview, given, give };
}

function OrderDialog({
  jobId,
  order,
  onClose,
}: {
  readonly jobId: string;
  readonly order: Order;
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [reason, setReason] = useState("");
  const { preview, given, give } = useOrder(order);
  useEffect(() => dialog.current?.showModal(), []);

  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="order-title">
      <h2 id="order-title">
        {order.word}: job {printable(jobId)}
      </h2>
      <p>{order.explains}</p>
      {given === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void give(reason);
          }}
        >
          <p className={`preview ${preview.kind}`} role="status">
            <b>{preview.kind === "refused" ? "It would be refused" : "What follows"}:</b> {printable(preview.says)}
          </p>
          <label>
            Why? It stands beside the order, for whoever asks later.
            <textarea
              required
              maxLength={reasonMax}
              rows={3}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
          <div className="buttons">
            <button type="button" onClick={onClose}>
              Leave it
            </button>
            <button type="submit" className="strong" disabled={preview.kind !== "effect" || reason.trim() === ""}>
              {order.word}
            </button>
          </div>
        </form>
      ) : (
        <>
          <p className="preview effect" role="status">
            <b>Ordered.</b> {printable(given)}
          </p>
          <div className="buttons">
            <button type="button" onClick={onClose}>
              Close
            </button>
          </div>
        </>
      )}
    </dialog>
  );
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
