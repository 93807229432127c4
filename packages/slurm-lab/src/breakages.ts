/**
 * breakages: what a test does to a lab, and how it is mended again.
 *
 * Writes  signals to the lab's own processes; node states in its Slurm.
 * Keeps   each returns when its effect on the processes is there; what Slurm makes of it takes its own time, and is for `waitUntil`.
 * Fails   `LabRefusal` `invalid` for a node that the lab does not have; `unavailable` when Slurm refuses.
 */
import type { Controller } from "./backup.ts";
import { endDaemon, endPids, signalPid, startDaemon, type DaemonHome } from "./daemons.ts";
import { LabRefusal, nodeNames } from "./lab-options.ts";
import type { RunHere, Waits } from "./look.ts";
import { daemonPids, isStopped, jobPids } from "./processes.ts";

export interface Breakages {
  /** The node dies: slurmd, slurmstepd and job processes. Slurm is told at once, or with `silent` finds out after about SlurmdTimeout. */
  nodeLost(name: string, options?: { readonly silent: boolean }): Promise<void>;
  /** Its slurmd again. A node that was told DOWN also needs `nodeResume`. */
  nodeUp(name: string): Promise<void>;
  nodeResume(name: string): Promise<void>;
  /** In order: its state is saved. */
  controllerStop(): Promise<void>;
  /** At once: what it was told in the last seconds may be forgotten. Without `which` a backup dies with it. */
  controllerKill(which?: Controller): Promise<void>;
  /** It takes connections and answers nothing. */
  controllerPause(): Promise<void>;
  controllerResume(): Promise<void>;
  /** Returns when it answers again; by default the first one, which takes over from its backup. */
  controllerUp(which?: Controller): Promise<void>;
  mungeDown(): Promise<void>;
  mungeUp(): Promise<void>;
}

export function createBreakages(home: DaemonHome, run: RunHere, waits: Waits): Breakages {
  const { dir } = home.plan;
  const nodes = nodeNames(home.plan);
  const known = (name: string) => {
    if (!nodes.includes(name))
      throw new LabRefusal("invalid", `node: ${JSON.stringify(name)} is none of ${nodes.join(", ")}`);
    return name;
  };
  const update = async (name: string, state: string, ...more: string[]) => {
    const { code, stderr } = await run("scontrol", ["update", `NodeName=${known(name)}`, `State=${state}`, ...more]);
    if (code !== 0)
      throw new LabRefusal("unavailable", `scontrol update NodeName=${name} State=${state}: ${stderr.trim()}`);
  };
  /** The kernel stops and continues a process a moment after it was asked to. */
  const turnController = async (signal: "SIGSTOP" | "SIGCONT") => {
    const pids = daemonPids(dir, { kind: "slurmctld" });
    for (const pid of pids) signalPid(pid, signal);
    const what = signal === "SIGSTOP" ? "slurmctld stands still" : "slurmctld goes on";
    await waits.waitUntil(what, () => pids.every((pid) => isStopped(pid) === (signal === "SIGSTOP")));
  };
  return {
    async nodeLost(name, { silent } = { silent: false }) {
      known(name);
      // All at once, as a node dies: a slurmstepd that outlived its job for a moment would still report the job's end.
      for (const pid of jobPids(dir, name)) signalPid(pid, "SIGSTOP");
      await endDaemon(home, { kind: "slurmd", node: name }, "SIGKILL");
      await endPids(() => jobPids(dir, name), "SIGKILL", home.clock);
      if (!silent) await update(name, "DOWN", "Reason=lab: node lost");
    },
    nodeUp: async (name) => startDaemon(home, { kind: "slurmd", node: known(name) }),
    nodeResume: (name) => update(name, "RESUME"),
    controllerStop: () => endDaemon(home, { kind: "slurmctld" }, "SIGTERM"),
    controllerKill: (which) =>
      endDaemon(home, { kind: "slurmctld", ...(which === undefined ? {} : { which }) }, "SIGKILL"),
    controllerPause: () => turnController("SIGSTOP"),
    controllerResume: () => turnController("SIGCONT"),
    async controllerUp(which = "primary") {
      await startDaemon(home, { kind: "slurmctld", which });
      await waits.controllerAnswers(which);
    },
    mungeDown: () => endDaemon(home, { kind: "munged" }, "SIGTERM"),
    mungeUp: () => startDaemon(home, { kind: "munged" }),
  };
}
