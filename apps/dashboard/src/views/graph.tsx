/** graph: the jobs of a workflow as boxes from left to right, with what each waits for. It can be moved and zoomed; the list below says the same. */
import { layout as dagreLayout, Graph as DagreGraph } from "@dagrejs/dagre";
import { Background, Controls, MarkerType, ReactFlow } from "@xyflow/react";
import { useNavigate } from "@tanstack/react-router";
import type { JobGraph } from "./gates.ts";
import { printable } from "../words/printable.ts";

const box = { width: 190, height: 56 };

export function Graph({
  graph,
  standing,
}: {
  readonly graph: JobGraph;
  readonly standing: ReadonlyMap<string, string>;
}) {
  const navigate = useNavigate();
  const placed = place(graph);
  const nodes = graph.jobs.map(({ jobId, name }) => ({
    id: jobId,
    position: placed.get(jobId) ?? { x: 0, y: 0 },
    data: { label: `${printable(jobId)} ${printable(name)}\n${standing.get(jobId) ?? ""}` },
    className: `graph-job ${standing.get(jobId) ?? ""}`,
    sourcePosition: "right" as const,
    targetPosition: "left" as const,
    ...box,
  }));
  const edges = graph.edges.map(({ from, to, trigger }) => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    label: trigger,
    markerEnd: { type: MarkerType.ArrowClosed },
  }));
  return (
    <div className="graph" role="group" aria-label="What waits for what">
      <ReactFlow
        nodes={nodes as never}
        edges={edges}
        fitView
        fitViewOptions={{ maxZoom: 1 }}
        minZoom={0.2}
        nodesDraggable={false}
        nodesConnectable={false}
        onNodeClick={(_event, { id }) => void navigate({ to: "/jobs/$jobId", params: { jobId: id } })}
      >
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function place({ jobs, edges }: JobGraph): ReadonlyMap<string, { readonly x: number; readonly y: number }> {
  const graph = new DagreGraph();
  graph.setGraph({ rankdir: "LR", nodesep: 24, ranksep: 190 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { jobId } of jobs) graph.setNode(jobId, { ...box });
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagreLayout(graph);
  return new Map(
    jobs.map(({ jobId }) => {
      const { x, y } = graph.node(jobId) as { readonly x: number; readonly y: number };
      return [jobId, { x: x - box.width / 2, y: y - box.height / 2 }];
    }),
  );
}
