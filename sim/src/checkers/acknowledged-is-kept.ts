/**
 * What was acknowledged stays: each root that a watcher was told is recorded is there at the end, as it was; and each step that a journal
 * holds has come to the server, with the end that the journal has.
 */
import type { World } from "../world.ts";
import type { Checker } from "./checker.ts";

export const acknowledgedIsKept: Checker = {
  name: "acknowledged-is-kept",
  watch: () => ({}),
  atEnd({ world, chronicle, holds }) {
    const { signals } = world.memory.dump().tables;
    for (const [id, keys] of chronicle.recorded) {
      const kept = signals.get(id.toLowerCase());
      const lost = [...keys].filter((key) => kept?.has(key) !== true);
      holds(lost.length === 0, () => `${world.nameOf(id)}: ${lost.join(", ")} was recorded, and is gone`);
    }
    if (!world.isHealed) return; // Whoever has it to tell may be away.
    const untold = untoldSteps(world);
    holds(untold.length === 0, () => untold.join("; "));
  },
};

/** What stands in a journal, and the server does not know, or knows otherwise; a sentence each. */
export function untoldSteps(world: World): readonly string[] {
  const { steps } = world.memory.dump().tables;
  const running = [...world.running.values()].filter(({ kind }) => kind === "sac");
  const hosts = world.hosts.filter((host) => running.some((sac) => sac.host === host));
  return hosts.flatMap(({ name, disk: { entries } }) => {
    const ends = new Map(entries.flatMap((e) => (e.kind === "end" ? [[e.key, e.outcome] as const] : [])));
    return entries.flatMap((e) => {
      if (e.kind !== "begin") return [];
      const [has, known] = [ends.get(e.key) ?? "", steps.get(e.key)?.outcome];
      return known === has
        ? []
        : [
            `${e.action} of ${e.work.jobId}#${e.work.attemptIndex} is ${has || "open"} in the journal of host ${name}, and ${known ?? "not known"} on the server`,
          ];
    });
  });
}
