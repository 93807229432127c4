/** nodes: against which nodes something is said, by the failures of which jobs, and who keeps away from them until when. */
import { useQuery } from "@tanstack/react-query";
import type { NodeStandingJson } from "@reprise/protocol/gen/reprise/v1/nodes_pb.ts";
import { nodesQuery } from "../api/queries.ts";
import { Ago } from "../parts/clock.tsx";
import { JobLink } from "../parts/job-link.tsx";
import { Part } from "../parts/part.tsx";
import { Standing } from "../parts/standing.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";

export function NodesPage() {
  const { data, error, refetch } = useQuery(nodesQuery());
  if (data === undefined)
    return (
      <div className="page">
        <h1>Nodes</h1>
        <NotYet error={error} what="the nodes" retry={() => void refetch()} />
      </div>
    );
  const { nodes = [], leftOut = 0 } = data;
  return (
    <div className="page">
      <h1>Nodes</h1>
      {nodes.length === 0 ? (
        <Empty title="Nothing is said against any node">
          <p>A node comes here when a job fails on it for a reason that is the node’s.</p>
        </Empty>
      ) : (
        <ul className="cards">
          {nodes.map((node) => (
            <NodeCard key={node.node} node={node} />
          ))}
        </ul>
      )}
      {leftOut > 0 ? <p className="faint">{leftOut} more are not shown: reprise nodes</p> : null}
    </div>
  );
}

/** So few stand open: whoever reads of a node wants to know which jobs it hurt. */
const openMax = 3;
const percent = (value: unknown) => (typeof value === "number" ? `${Math.round(value * 100)} %` : "–");

function NodeCard({
  node: {
    node = "",
    state,
    verdict = "",
    why = "",
    confidence,
    failures = 0,
    partitions = [],
    until,
    evidence = [],
    excludedBy = [],
    accused,
  },
}: {
  readonly node: NodeStandingJson;
}) {
  return (
    <li className="card">
      <div className="card-head">
        <b className="node-name">{printable(node)}</b>
        <Standing of={verdict} />
        <span className="faint">
          {printable(state || "not shown by Slurm")}{" "}
          {partitions.length === 0 ? "" : `· ${printable(partitions.join(", "))}`}
        </span>
        <span className="end">
          confidence <b>{percent(confidence)}</b> · {counted(failures, "failure")}
          {accused === true ? " · accused by the fleet" : ""}
        </span>
      </div>
      <p>
        {printable(why)}.
        {until === undefined ? (
          ""
        ) : (
          <>
            {" "}
            The last of it expires <Ago at={until} />.
          </>
        )}
      </p>
      {verdict === "drain" ? (
        <p className="faint">
          Somebody should take it out of use. Once it is repaired:{" "}
          <code>reprise nodes clear {printable(node)} --reason …</code>
        </p>
      ) : null}
      <Evidence of={evidence} />
      <KeptAwayBy of={excludedBy} />
    </li>
  );
}

function Evidence({ of: evidence }: { readonly of: NonNullable<NodeStandingJson["evidence"]> }) {
  return (
    <Part title="Evidence" count={evidence.length} open={evidence.length <= openMax}>
      <ul className="lines">
        {evidence.map((one) => (
          <li key={one.heimdallJobId}>
            <JobLink jobId={one.jobId} attempt={one.attemptIndex} /> <Ago at={one.at} /> · {one.cause} ({one.causeClass}
            ) · {percent(one.confidence)} left
            {one.counts === true ? "" : " · counts in this job only"}
            <code className="line">{printable(one.evidence?.line ?? "")}</code>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function KeptAwayBy({ of: excludedBy }: { readonly of: NonNullable<NodeStandingJson["excludedBy"]> }) {
  return (
    <Part title="Kept away from by" count={excludedBy.length} open={excludedBy.length <= openMax}>
      <ul className="lines">
        {excludedBy.map((one) => (
          <li key={`${one.heimdallJobId} ${one.generation}`}>
            <JobLink jobId={one.jobId} attempt={one.attemptIndex} /> · {printable(one.reason ?? "")} ·{" "}
            {percent(one.confidence)} · expires <Ago at={one.expiresAt} />
            {one.active === true ? " · still to be carried out" : ""}
          </li>
        ))}
      </ul>
    </Part>
  );
}
