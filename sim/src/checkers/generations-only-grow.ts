/** What the store acknowledged of an Advice is still there, every generation, in order and unchanged; the latest is the one that counts. */
import { cluster } from "../roles.ts";
import type { Checker } from "./checker.ts";

export const generationsOnlyGrow: Checker = {
  name: "generations-only-grow",
  watch: ({ chronicle, holds }) => ({
    decided(id, _decision, recorded) {
      if (recorded.kind !== "recorded") return;
      const given = chronicle.advice.get(id) ?? [];
      holds(
        given.at(-1)?.generation === given.length,
        () => `${id}: generation ${given.at(-1)?.generation} is the ${given.length}th`,
      );
    },
  }),
  async atEnd({ world, chronicle, holds }) {
    for (const [id, given] of chronicle.advice) {
      const row = await world.memory.getJobByUuid(id);
      holds(row !== undefined, () => `${id}: its record is gone`);
      if (row === undefined) continue;
      const stories = await world.memory.story(cluster, row.jobId);
      const told = stories.find((s) => s.attempt.heimdallJobId === id)?.advice;
      if (told === undefined) continue; // Of an earlier incarnation: `story` tells of the newest only.
      const kept = told.map((a) => a.generation).join(" ");
      const was = given.map((g) => g.generation).join(" ");
      holds(kept === was, () => `${row.jobId}#${row.attemptIndex}: generations ${kept}, recorded were ${was}`);
      for (const [i, g] of given.entries()) {
        if (g.advise === undefined || told[i] === undefined) continue;
        holds(
          told[i].desired === g.advise.desired,
          () =>
            `${row.jobId}#${row.attemptIndex} g${g.generation}: ${told[i]?.desired}, recorded was ${g.advise?.desired}`,
        );
      }
    }
  },
};
