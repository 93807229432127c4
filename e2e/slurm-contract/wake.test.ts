/**
 * Goal    the shipped jobcomp script wakes SAC when slurmctld runs it, with what slurmctld gives it.
 * Method  a lab with the script in a folder of its own, the link to the wake file beside it.
 */
import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { environment } from "@reprise/runtime/environment.ts";
import { watchWake } from "@reprise/sac/slurm/wake.ts";
import { startLab } from "@reprise/slurm-lab/lab.ts";
import { missingPackages } from "@reprise/slurm-lab/packages.ts";
import { expect, test } from "vitest";

const shipped = fileURLToPath(new URL("../../apps/sac/jobcomp/reprise-jobcomp", import.meta.url));
const canRun = environment()["REPRISE_REAL_SLURM"] === "1" && missingPackages().length === 0;

test.skipIf(!canRun)("the end of a real job wakes SAC (needs REPRISE_REAL_SLURM=1 and Slurm)", async () => {
  const dir = mkdtempSync(join(tmpdir(), "wk-"));
  const script = join(dir, "reprise-jobcomp");
  copyFileSync(shipped, script);
  symlinkSync(join(dir, "wake"), `${script}.wake`);
  const woken = Promise.withResolvers<void>();
  const wake = watchWake(join(dir, "wake"), woken.resolve, (why) => expect.unreachable(why));
  const lab = await startLab({ nodes: 1, jobCompScript: script });
  try {
    await lab.sbatch("#!/bin/sh\nexit 7\n", ["--output=/dev/null"]);
    await woken.promise;
  } finally {
    wake.close();
    await lab.stop({ files: "remove" });
    rmSync(dir, { recursive: true });
  }
});
