/** graph: the jobs of a workflow as boxes from left to right, with what each waits for. It can be moved and zoomed; the list below says the same. */
import { layout as dagreLayout, Graph as DagreGraph } from "@dagrejs/dagre";
import { Background, Controls, MarkerType, ReactFlow } from "@xyflow/react";
import { useNavigate } from "@tanstack/react-router";
import type { JobGraph } from "./gates.ts";
import { printable } from "../words/printable.ts";

/** By the letters of the page, which are larger on a wall. */
function boxNow() {
  const scale = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
  return { width: 190 * scale, height: 56 * scale };
}
/** Of the drawing, beside its boxes (px). */
const around = 120;

export function Graph({
  graph,
  standing,
}: {
  readonly graph: JobGraph;
  readonly standing: ReadonlyMap<string, string>;
}) {
  const navigate = useNavigate();
  const isNarrow = matchMedia("(max-width: 700px)").matches;
  const box = boxNow();
  const { placed, height } = place(graph, box, isNarrow ? "down" : "right");
  const nodes = graph.jobs.map(({ jobId, name }) => ({
    id: jobId,
    position: placed.get(jobId) ?? { x: 0, y: 0 },
    data: {
      label: (
        <>
          <b className="one">
            {printable(jobId)} {printable(name)}
          </b>
          {standing.get(jobId) ?? ""}
        </>
      ),
    },
    className: `graph-job ${standing.get(jobId) ?? ""}`,
    sourcePosition: isNarrow ? ("bottom" as const) : ("right" as const),
    targetPosition: isNarrow ? ("top" as const) : ("left" as const),
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
    <div
      className="graph"
      role="group"
      aria-label="What waits for what"
      style={{ height: `clamp(14rem, ${height + around}px, min(60vh, 34rem))` }}
    >
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

function place({ jobs, edges }: JobGraph, box: ReturnType<typeof boxNow>, way: "right" | "down") {
  const graph = new DagreGraph();
  graph.setGraph(
    way === "right" ? { rankdir: "LR", nodesep: 24, ranksep: 190 } : { rankdir: "TB", nodesep: 16, ranksep: 64 },
  );
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { jobId } of jobs) graph.setNode(jobId, { ...box });
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagreLayout(graph);
  const at = jobs.map(({ jobId }) => {
    const { x, y } = graph.node(jobId) as { readonly x: number; readonly y: number };
    return [jobId, { x: x - box.width / 2, y: y - box.height / 2 }] as const;
  });
  return { placed: new Map(at), height: box.height + Math.max(0, ...at.map(([, { y }]) => y)) };
}
