/**
 * order-dialog: one order of a person, with what would follow from it, and why it is given, before it is.
 *
 * Keeps   nothing is ordered without a preview of its effect and a reason. What would be refused is said before.
 */
import { useEffect, useRef, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { ask } from "../api/client.ts";
import { printable } from "../words/printable.ts";

const reasonMax = 500;

export interface Order {
  readonly word: string;
  readonly explains: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What every answer to an order says. */
interface Effect {
  readonly effect?: string;
}

type Preview = { readonly kind: "effect" | "refused" | "asking"; readonly says: string };

/** What would follow from it, and, once it is given, what does. */
function useOrder(order: Order) {
  const queries = useQueryClient();
  const [preview, setPreview] = useState<Preview>({ kind: "asking", says: "Asking what would follow…" });
  const [given, setGiven] = useState<string>();
  useEffect(() => {
    const gone = new AbortController();
    ask<Effect>(order.path, gone.signal, { ...order.body, reason: "preview", preview: true })
      .then(({ effect = "" }) => setPreview({ kind: "effect", says: effect }))
      .catch((error: unknown) => {
        if (!gone.signal.aborted) setPreview({ kind: "refused", says: wordsOf(error) });
      });
    return () => gone.abort();
  }, [order]);

  async function give(reason: string): Promise<void> {
    try {
      const { effect = "" } = await ask<Effect>(order.path, undefined, {
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

export function OrderDialog({
  about,
  order,
  onClose,
}: {
  /** A job, a cluster. */
  readonly about: string;
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
        {order.word}: {printable(about)}
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
