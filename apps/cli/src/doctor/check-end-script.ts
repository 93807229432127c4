/** check-end-script: whether slurmctld tells SAC that a job has ended. Pure. Without it SAC notices at its next look. */
import { type Check, fail, ok, warn } from "./check.ts";
import type { Facts } from "./facts.ts";

const name = "end-of-job script";
const how = "See the first lines of apps/sac/jobcomp/reprise-jobcomp for the two lines of slurm.conf.";
/** slurmctld calls it some seconds after a job has ended at the latest. */
const firesWithinMs = 60_000;

export function checkEndScript({ endScript, looked }: Facts, settings: ReadonlyMap<string, string>): Check {
  const type = settings.get("JobCompType") ?? "";
  const path = settings.get("JobCompLoc") ?? "";
  if (type !== "jobcomp/script") {
    return warn(name, `JobCompType is ${type || "not set"}: SAC notices an end at its next look, not at once`, how);
  }
  if (endScript === undefined || endScript.kind === "not-found") {
    return warn(name, `${path} cannot be read: ${endScript?.why ?? "no JobCompLoc"}`, how);
  }
  const { text, isExecutable, wokeAt } = endScript.value;
  if (!text.includes("reprise-jobcomp")) {
    return warn(
      name,
      `${path} is another program: SAC notices an end at its next look, not at once`,
      "Let it call apps/sac/jobcomp/reprise-jobcomp too, or leave it: polling works.",
    );
  }
  if (!isExecutable) return fail(name, `${path} may not be executed`, `chmod 755 ${path}`);
  if (wokeAt === undefined) {
    return warn(
      name,
      `${path}.wake is missing: the script finds nobody to wake`,
      `ln -s <data folder>/sac/wake ${path}.wake`,
    );
  }
  const lastEndAt = looked.kind === "found" ? looked.value.lastEndAt : undefined;
  if (lastEndAt !== undefined && lastEndAt - wokeAt > firesWithinMs) {
    return warn(
      name,
      `a job ended ${Math.round((lastEndAt - wokeAt) / 1000)} s after the script was last heard: it does not fire, or not here`,
      "Is slurmctld's SlurmUser allowed to write the wake file? Was slurmctld restarted after JobCompType was set?",
    );
  }
  return ok(name, path);
}
