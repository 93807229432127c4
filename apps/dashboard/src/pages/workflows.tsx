/** workflows: training runs, each a group of jobs. */
import { Link } from "@tanstack/react-router";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { WorkflowJson } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { workflowsQuery, moreOf } from "../api/queries.ts";
import { Ago } from "../parts/clock.tsx";
import { type Column, Rows } from "../parts/rows.tsx";
import { Standing } from "../parts/standing.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { printable } from "../words/printable.ts";

const columns: readonly Column<WorkflowJson>[] = [
  {
    name: "Workflow",
    width: "minmax(10rem, 2fr)",
    cell: ({ workflowId = "", name }) => (
      <Link to="/workflows/$workflowId" params={{ workflowId }} className="job-link">
        <b>{printable(workflowId)}</b>
        {name === undefined ? null : <span> {printable(name)}</span>}
      </Link>
    ),
  },
  {
    name: "Stands",
    width: "8rem",
    cell: ({ endTime }) => <Standing of={endTime === undefined ? "running" : "ended"} />,
  },
  { name: "Began", width: "8rem", isWide: true, cell: ({ startTime }) => <Ago at={startTime} /> },
  { name: "Ended", width: "8rem", isWide: true, cell: ({ endTime }) => <Ago at={endTime} none="–" /> },
];

export function WorkflowsPage() {
  const asked = useInfiniteQuery(workflowsQuery());
  const workflows = asked.data?.pages.flatMap((page) => page.workflows ?? []) ?? [];
  return (
    <div className="page list">
      <h1>Workflows</h1>
      {asked.data === undefined ? (
        <NotYet error={asked.error} what="the workflows" />
      ) : workflows.length === 0 ? (
        <Empty title="No workflow was ever seen" />
      ) : (
        <Rows
          label="Workflows"
          rows={workflows}
          keyOf={({ workflowId = "" }) => workflowId}
          columns={columns}
          more={moreOf(asked)}
        />
      )}
    </div>
  );
}
