/** settings: the configuration of the Slurm that SAC begins with; what it is later comes with each look. */
import { Refusal } from "@reprise/core/refusal.ts";
import { environment } from "@reprise/runtime/environment.ts";
import type { Life } from "@reprise/runtime/life.ts";
import { parseSettings, type SlurmSettings } from "../parse-config.ts";
import { commandEnvironment } from "./environment.ts";
import type { Runner } from "./run.ts";

const settingsRetryMs = 2_000;

/** Waits until Slurm answers, since a SAC may start before its slurmctld. Undefined: the life ended first. */
export async function waitForSettings(run: Runner, life: Life): Promise<SlurmSettings | undefined> {
  for (let said = false; !life.signal.aborted; said = true) {
    const ran = await run("scontrol", ["show", "config"], { limitMs: 30_000, env: commandEnvironment(environment()) });
    const settings = ran.rc === 0 ? parseSettings(ran.stdout) : undefined;
    if (settings !== undefined) return settings;
    if (ran.rc === undefined && ran.stderr.includes("ENOENT"))
      throw new Refusal("precondition", "scontrol was not found: Slurm's client programs must be in PATH");
    if (!said) life.log.warn({ stderr: ran.stderr }, "Slurm does not answer `scontrol show config` yet");
    await life.clock.sleep(settingsRetryMs, life.signal);
  }
  return undefined;
}
