/**
 * mode-orders: what an operator may order about the whole cluster: observe, act and where; stop, go on.
 *
 * Keeps   a viewer sees no such control, and the API would refuse him. Only what SAC's configuration allows is offered.
 */
import { useState } from "react";
import type { ClusterModeJson } from "@reprise/protocol/gen/reprise/v1/mode_pb.ts";
import { printable } from "../words/printable.ts";
import { ForOperators } from "./for-operators.tsx";
import { type Order, OrderDialog } from "./order-dialog.tsx";

export const listed = (partitions: readonly string[] | undefined): string =>
  partitions === undefined || partitions.length === 0 ? "no partition" : printable(partitions.join(", "));

const stop: Order = {
  word: "Stop",
  explains: "Nothing new is begun, within a second. Jobs that recovery holds are still constrained and released.",
  path: "/reprise/v1/brake",
  body: { action: "stop" },
};
const go: Order = {
  word: "Go on",
  explains: "The stop is over: recovery goes on with what is open, in the mode that it has.",
  path: "/reprise/v1/brake",
  body: { action: "go" },
};
const observe: Order = {
  word: "Observe",
  explains:
    "Recovery still decides and says what it would do, and changes nothing in Slurm. What it holds is let go first.",
  path: "/reprise/v1/mode",
  body: { mode: "observe" },
};
const actIn = (partitions: readonly string[]): Order => ({
  word: `Act in ${listed(partitions)}`,
  explains: "Recovery carries its Advice out there, the one that is already open too; and observes everywhere else.",
  path: "/reprise/v1/mode",
  body: { mode: "act", partitions },
});

export function ModeOrders({ mode }: { readonly mode: ClusterModeJson }) {
  const [order, setOrder] = useState<Order>();
  const { orders, sac, cluster = "" } = mode;
  const brake = orders?.stop === undefined ? stop : go;
  return (
    <ForOperators>
      <div className="orders">
        {[brake, observe].map((one) => (
          <button type="button" key={one.word} onClick={() => setOrder(one)}>
            {one.word}…
          </button>
        ))}
      </div>
      {sac?.allowedMode === "act" ? (
        <ActChoice
          allowed={sac.allowedPartitions ?? []}
          acting={mode.partitions ?? []}
          onChoice={(where) => setOrder(actIn(where))}
        />
      ) : (
        <p className="faint">
          {sac === undefined
            ? "To act cannot be ordered: no SAC has said yet what it may do."
            : "To act cannot be ordered: the configuration of SAC, a file on its host, only allows it to observe."}
        </p>
      )}
      {order === undefined ? null : (
        <OrderDialog about={`cluster ${cluster}`} order={order} onClose={() => setOrder(undefined)} />
      )}
    </ForOperators>
  );
}

/** @param acting Where it acts now: chosen to begin with. Nowhere: nothing is chosen for anybody. */
function ActChoice({
  allowed,
  acting,
  onChoice,
}: {
  readonly allowed: readonly string[];
  readonly acting: readonly string[];
  readonly onChoice: (partitions: readonly string[]) => void;
}) {
  const [chosen, choose] = useState<readonly string[]>(() => allowed.filter((name) => acting.includes(name)));
  const toggle = (name: string) =>
    choose(allowed.filter((one) => (one === name ? !chosen.includes(one) : chosen.includes(one))));
  return (
    <fieldset className="act-choice">
      <legend>Act in</legend>
      {allowed.map((name) => (
        <label key={name} className="check">
          <input type="checkbox" checked={chosen.includes(name)} onChange={() => toggle(name)} /> {printable(name)}
        </label>
      ))}
      <button type="button" disabled={chosen.length === 0} onClick={() => onChoice(chosen)}>
        Act there…
      </button>
    </fieldset>
  );
}
