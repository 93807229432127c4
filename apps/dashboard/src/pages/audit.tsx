/** audit: everything that was done, by whom, with what; newest first. */
import { useMemo } from "react";
import { getRouteApi } from "@tanstack/react-router";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ProducerAuditEventJson } from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import { auditQuery, moreOf } from "../api/queries.ts";
import { ChoiceFilter, Filters, TextFilter } from "../parts/filters.tsx";
import { JobLink } from "../parts/job-link.tsx";
import { type Column, Rows } from "../parts/rows.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { printable } from "../words/printable.ts";
import { dateTime } from "../words/time.ts";

const route = getRouteApi("/audit");
const levels = [
  ["", "all"],
  ["info", "info"],
  ["warn", "warn"],
  ["error", "error"],
] as const;

const atOf = (event: ProducerAuditEventJson) => Number(event.eventProducedAt ?? 0) / 1_000;

/** On one line; open, each value on its own. */
function Payload({ of: { payload } }: { readonly of: ProducerAuditEventJson }) {
  return (
    <details className="payload">
      <summary>
        <code className="line one">{printable(JSON.stringify(payload ?? {}))}</code>
      </summary>
      <code className="line">
        {JSON.stringify(payload ?? {}, null, 1)
          .split("\n")
          .map(printable)
          .join("\n")}
      </code>
    </details>
  );
}

const columns: readonly Column<ProducerAuditEventJson>[] = [
  {
    name: "Time",
    width: "13.5rem",
    cell: (event) => <time dateTime={new Date(atOf(event)).toISOString()}>{dateTime(atOf(event))}</time>,
  },
  { name: "Event", width: "minmax(10rem, 1.3fr)", cell: (event) => <b>{printable(event.eventType ?? "")}</b> },
  { name: "By", width: "minmax(6rem, 0.8fr)", isWide: true, cell: (event) => printable(event.eventProducer ?? "") },
  {
    name: "Level",
    width: "4.5rem",
    isWide: true,
    cell: (event) => <span className={`level ${event.eventLevel}`}>{printable(event.eventLevel ?? "")}</span>,
  },
  {
    name: "Job",
    width: "minmax(5rem, 0.8fr)",
    cell: (event) => (event.jobId === undefined ? "" : <JobLink jobId={event.jobId} attempt={event.attemptIndex} />),
  },
  {
    name: "What",
    width: "minmax(12rem, 3fr)",
    cell: (event) => <Payload of={event} />,
  },
];

export function AuditPage() {
  const { job, type, level, producer } = route.useSearch();
  const navigate = route.useNavigate();
  const asked = useInfiniteQuery(
    auditQuery({ jobId: job, eventType: type, eventLevel: level, eventProducer: producer }),
  );
  const events = asked.data?.pages.flatMap((page) => page.items ?? []) ?? [];
  const set = useMemo(() => {
    const to = (name: "job" | "type" | "producer") => (text: string | undefined) =>
      void navigate({ search: (before) => ({ ...before, [name]: text }), replace: true });
    return { job: to("job"), type: to("type"), producer: to("producer") };
  }, [navigate]);
  return (
    <div className="page list">
      <h1>Audit</h1>
      <Filters>
        <ChoiceFilter
          label="Level"
          value={level}
          choices={levels}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, level: value }) })}
        />
        <TextFilter label="Job" value={job} onChange={set.job} />
        <TextFilter label="Event" value={type} onChange={set.type} />
        <TextFilter label="By" value={producer} onChange={set.producer} />
      </Filters>
      {asked.data === undefined ? (
        <NotYet error={asked.error} what="audit events" retry={() => void asked.refetch()} />
      ) : events.length === 0 ? (
        <Empty title="Nothing is recorded like that" />
      ) : (
        <Rows
          label="Audit events"
          rows={events}
          keyOf={(event) =>
            `${event.eventProducer} ${event.idempotencyKey} ${event.eventProducedAt} ${event.eventType} ${event.jobId}`
          }
          columns={columns}
          more={moreOf(asked)}
        />
      )}
    </div>
  );
}
