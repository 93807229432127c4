/** Every generation that was recorded has its audit row: nothing is told of that was not written, and nothing written is not told. */
import type { Checker } from "./checker.ts";

export const auditIsComplete: Checker = {
  name: "audit-is-complete",
  watch: () => ({}),
  atEnd({ world, chronicle, holds }) {
    const audited = new Map<string, number>();
    for (const row of world.memory.audit())
      if (row.type.startsWith("advice.") && row.type !== "advice.status")
        audited.set(row.heimdallJobId, (audited.get(row.heimdallJobId) ?? 0) + 1);
    for (const [id, given] of chronicle.advice)
      holds(
        (audited.get(id) ?? 0) >= given.length,
        () => `${world.nameOf(id)}: ${given.length} generations, ${audited.get(id) ?? 0} audit rows`,
      );
  },
};
