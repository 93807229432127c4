/** mode: may recovery act, where, by whose word; what holds it back; and the orders that change it. */
import type { ReactNode } from "react";
import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import type { ProducerAuditEventJson } from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import type { ClusterModeJson, OrderNoteJson } from "@reprise/protocol/gen/reprise/v1/mode_pb.ts";
import { clusterOrdersQuery, modeQuery } from "../api/queries.ts";
import { Ago } from "../parts/clock.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { listed, ModeOrders } from "../views/mode-orders.tsx";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";
import { dateTime } from "../words/time.ts";

export function ModePage() {
  const { data, error, refetch } = useQuery(modeQuery());
  const mode = data?.mode;
  if (mode === undefined)
    return (
      <div className="page">
        <h1>Mode</h1>
        <NotYet error={error} what="the mode" retry={() => void refetch()} />
      </div>
    );
  return (
    <div className="page">
      <header>
        <h1>{headline(mode)}</h1>
        <p className="faint">
          As SAC said with its last look, <Ago at={mode.reportedAt} none="which nobody has seen yet" />.
        </p>
      </header>
      <Facts mode={mode} />
      <section aria-labelledby="orders">
        <h2 id="orders">What you may order</h2>
        <ModeOrders mode={mode} />
      </section>
      <Ordered />
    </div>
  );
}

const inWords = (mode: string | undefined, partitions: readonly string[] | undefined): string =>
  mode === "act" ? `act in ${listed(partitions)}` : "observe";

function headline({ mode = "", partitions, orders }: ClusterModeJson): string {
  if (mode === "") return "It is not known whether recovery may act.";
  const stopped = orders?.stop === undefined ? "" : ", and is stopped";
  return mode === "act"
    ? `Recovery acts in ${listed(partitions)}${stopped}.`
    : `Recovery observes${stopped}: it changes nothing in Slurm.`;
}

/** An order counts once SAC has taken it; one that it has taken and the server does not know was lost with a database. */
function takenWords({ orders, sac }: ClusterModeJson): string {
  const [given, taken] = [Number(orders?.generation ?? 0), Number(sac?.ordersGeneration ?? 0)];
  if (sac === undefined) return "No SAC has reported, so none has taken it.";
  if (taken > given)
    return "SAC has taken an order that this server does not know, and only observes: order the mode again.";
  return taken === given ? "SAC has taken it." : "SAC has NOT taken the newest order yet.";
}

function Facts({ mode }: { readonly mode: ClusterModeJson }) {
  const { orders, sac, lease } = mode;
  const holds = sac?.openHolds ?? 0;
  const rows: readonly (readonly [string, ReactNode])[] = [
    [
      "Allowed at most",
      sac === undefined
        ? "not known"
        : `${inWords(sac.allowedMode, sac.allowedPartitions)}, by the configuration of SAC on its host`,
    ],
    [
      "Ordered",
      orders?.mode === undefined ? (
        "nothing: the configuration of SAC holds"
      ) : (
        <>
          {inWords(orders.mode.mode, orders.mode.partitions)}, <Said note={orders.mode.note} />. {takenWords(mode)}
        </>
      ),
    ],
    [
      "Stopped",
      orders?.stop === undefined ? (
        "no"
      ) : (
        <>
          <Said note={orders.stop} />. {takenWords(mode)}
        </>
      ),
    ],
    ["Held by recovery", counted(holds, "job")],
    [
      "Who acts",
      lease === undefined
        ? "nobody has the lease"
        : `${printable(lease.holder ?? "")}, with the lease of term ${lease.term}`,
    ],
  ];
  return (
    <dl className="answers">
      {rows.map(([name, says]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{says}</dd>
        </div>
      ))}
    </dl>
  );
}

function Said({ note: { by = "", reason = "", at } = {} }: { readonly note: OrderNoteJson | undefined }) {
  return (
    <>
      by {printable(by)} <Ago at={at} />: {printable(reason)}
    </>
  );
}

function Ordered() {
  const { data, error } = useQuery(clusterOrdersQuery());
  return (
    <section aria-labelledby="ordered">
      <h2 id="ordered">What was ordered</h2>
      {data === undefined ? (
        <NotYet error={error} what="the orders" />
      ) : data.length === 0 ? (
        <Empty title="Nothing was ever ordered" />
      ) : (
        <ul className="ordered">
          {data.map((event) => (
            <OrderLine key={`${event.eventType} ${event.idempotencyKey} ${event.eventProducedAt}`} event={event} />
          ))}
        </ul>
      )}
      <p className="faint">
        All of them:{" "}
        <Link to="/audit" search={{ type: "mode.ordered" }}>
          mode
        </Link>
        ,{" "}
        <Link to="/audit" search={{ type: "brake.ordered" }}>
          stop and go
        </Link>
        .
      </p>
    </section>
  );
}

/** As `docs/audit-events.md` has it. */
interface OrderPayload {
  readonly mode?: string;
  readonly partitions?: readonly string[];
  readonly action?: string;
  readonly reason?: string;
  readonly by?: string;
}

function OrderLine({ event: { payload, eventProducedAt } }: { readonly event: ProducerAuditEventJson }) {
  const { mode, partitions, action, reason = "", by = "" } = (payload ?? {}) as OrderPayload;
  const at = Number(eventProducedAt ?? 0) / 1_000;
  return (
    <li>
      <time dateTime={new Date(at).toISOString()}>{dateTime(at)}</time>{" "}
      <b>{action === undefined ? inWords(mode, partitions) : printable(action)}</b> by {printable(by)}:{" "}
      {printable(reason)}
    </li>
  );
}
