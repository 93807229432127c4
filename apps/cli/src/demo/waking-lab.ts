/**
 * waking-lab: a folder for a lab whose slurmctld wakes SAC when a job ends, as a site does that follows the operators' guide.
 *
 * Gives   options for `startLab`, and the data folder that Reprise must be given for the wake-up to arrive.
 * Writes  one new folder in the system's temporary one: a copy of the jobcomp script and its link.
 */
import { chmodSync, copyFileSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface WakingLab {
  /** Short: a munge socket lives in it. Whoever made it removes it. */
  readonly dir: string;
  readonly jobCompScript: string;
  readonly dataDir: string;
}

const jobcomp = fileURLToPath(new URL("../../../sac/jobcomp/reprise-jobcomp", import.meta.url));

export function makeWakingLab(): WakingLab {
  const dir = mkdtempSync(join(tmpdir(), "rl-"));
  chmodSync(dir, 0o755); // Jobs of other users find their output in it; what is secret has its own mode.
  const jobCompScript = join(dir, "reprise-jobcomp");
  const dataDir = join(dir, "reprise");
  copyFileSync(jobcomp, jobCompScript);
  symlinkSync(join(dataDir, "sac", "wake"), `${jobCompScript}.wake`);
  return { dir, jobCompScript, dataDir };
}
