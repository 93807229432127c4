/** audit-part: what is recorded of one job, newest first; asked for once somebody opens it. */
import { useState } from "react";
import { Link } from "@tanstack/react-router";
import { useInfiniteQuery } from "@tanstack/react-query";
import { auditQuery } from "../api/queries.ts";
import { NotYet } from "../parts/states.tsx";
import { printable } from "../words/printable.ts";
import { dateTime } from "../words/time.ts";

const shownMax = 20;

export function AuditPart({ jobId }: { readonly jobId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Audit events</summary>
      {isOpen ? <Events jobId={jobId} /> : null}
    </details>
  );
}

function Events({ jobId }: { readonly jobId: string }) {
  const { data, error, refetch } = useInfiniteQuery(auditQuery({ jobId }));
  if (data === undefined) return <NotYet error={error} what="its audit events" retry={() => void refetch()} />;
  const events = data.pages[0]?.items ?? [];
  return (
    <>
      <table>
        <tbody>
          {events.slice(0, shownMax).map((event) => {
            const { eventProducedAt = "0", eventType = "", eventProducer = "", attemptIndex = 0, payload } = event;
            return (
              <tr key={`${eventProducedAt} ${eventType} ${event.idempotencyKey}`}>
                <td>{dateTime(Number(eventProducedAt) / 1_000)}</td>
                <th scope="row">{printable(eventType)}</th>
                <td>attempt {attemptIndex}</td>
                <td>{printable(eventProducer)}</td>
                <td>
                  <code>{printable(JSON.stringify(payload ?? {}))}</code>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p>
        <Link to="/audit" search={{ job: jobId }}>
          {events.length > shownMax ? "All of them" : "In the list of all"}
        </Link>
      </p>
    </>
  );
}
