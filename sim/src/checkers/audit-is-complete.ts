/**
 * Every generation that was recorded, and every step that the server knows, has its audit row, and only one: nothing is told of that
 * was not written, nothing written is not told, and nothing is told twice, however often it was reported.
 */
import type { Checker } from "./checker.ts";

const ofGenerations = new Set(["advice.recorded", "advice.withdrawn", "advice.rolled-back"]);
const ofSteps = new Set(["step.begun", "step.refused-by-gate"]);

export const auditIsComplete: Checker = {
  name: "audit-is-complete",
  watch: () => ({}),
  atEnd({ world, chronicle, holds }) {
    const rows = world.memory.audit();
    const audited = new Map<string | undefined, number>();
    for (const { type, heimdallJobId: id } of rows)
      if (ofGenerations.has(type)) audited.set(id, (audited.get(id) ?? 0) + 1);
    for (const [id, given] of chronicle.advice)
      holds(
        audited.get(id) === given.length,
        () => `${world.nameOf(id)}: ${given.length} generations, ${audited.get(id) ?? 0} audit rows`,
      );

    const told = rows.filter(({ type }) => ofSteps.has(type)).map(({ payload }) => (payload as { key: string }).key);
    const steps = [...world.memory.dump().tables.steps.keys()];
    holds(
      told.toSorted().join() === steps.toSorted().join(),
      () => `${steps.length} steps are known, and ${told.length} are told: ${told.toSorted().join()}`,
    );
  },
};
