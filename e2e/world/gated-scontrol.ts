/**
 * gated-scontrol: a `scontrol` of the test's own, before the real one in PATH, that refuses releases while a file says so: that keeps holds
 * in place as long as a test needs them.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "@reprise/slurm-lab/lab.ts";

const noReleaseIn = (lab: Lab) => join(lab.sharedDir, "no-release");

/** For `WorldOptions.path`. */
export function gatedScontrol(lab: Lab): string {
  const bin = join(lab.sharedDir, "bin");
  mkdirSync(bin);
  const refusal = `if [ "$1" = release ] && [ -e ${noReleaseIn(lab)} ]; then echo 'the test refuses releases' >&2; exit 1; fi`;
  writeFileSync(join(bin, "scontrol"), `#!/bin/sh\n${refusal}\nPATH=${lab.plan.path}\nexec scontrol "$@"\n`);
  chmodSync(join(bin, "scontrol"), 0o755);
  return bin;
}

export const refuseReleases = (lab: Lab): void => writeFileSync(noReleaseIn(lab), "");
export const allowReleases = (lab: Lab): void => rmSync(noReleaseIn(lab));
