/** An exclusion has its reason, confidence and end, and leaves enough nodes that could be used when it was decided. */
import type { Checker } from "./checker.ts";

export const exclusionLeavesEnoughNodes: Checker = {
  name: "exclusion-leaves-enough-nodes",
  watch({ world, holds }) {
    const eligible = new Map<string, boolean>();
    const features = new Map(world.spec.nodes.map((node) => [node.name, node.features ?? []]));
    return {
      pass(report) {
        for (const { name, isEligible } of report.nodes) eligible.set(name, isEligible);
      },
      decided(id, decision, { kind }) {
        if (kind !== "recorded" || decision.kind !== "advise" || decision.exclusions.length === 0) return;
        for (const e of decision.exclusions) {
          holds(
            e.reason !== "" && e.evidence.length > 0 && e.confidence > 0 && e.confidence <= 1 && e.expiresAt > 0,
            () => `${world.nameOf(id)}: the exclusion of ${e.node} has no reason, evidence, confidence or end`,
          );
        }
        const [jobId = ""] = world.nameOf(id).split("#");
        const { nodes: needed, constraint } = world.specOf(jobId) ?? {};
        if (needed === undefined) return;
        const away = new Set(decision.exclusions.map((e) => e.node));
        const isAsked = (node: string) => constraint === undefined || features.get(node)?.includes(constraint) === true;
        const left = [...eligible].filter(([node, is]) => is && !away.has(node) && isAsked(node)).length;
        holds(left >= needed, () => `${world.nameOf(id)}: ${left} nodes are left, the job needs ${needed}`);
      },
    };
  },
};
