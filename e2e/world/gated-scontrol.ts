/**
 * gated-scontrol: a `scontrol` of the test's own, before the real one in PATH, that refuses releases, or one sort of command about one job, or
 * keeps requeues waiting, while a file says so: that keeps a recovery at a point of its sequence for as long as a test needs it.
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "@reprise/slurm-lab/lab.ts";

/** `release`, or the exclusions of an update. */
export type Refusable = "release" | "ExcNodeList";

/** For `WorldOptions.path`. */
export function gatedScontrol(lab: Lab): string {
  const bin = join(lab.sharedDir, "bin");
  mkdirSync(bin);
  const what = `case "$1" in update) what=\${3%%=*} id=\${2#JobId=} ;; *) what=$1 id=$2 ;; esac`;
  const isRefused = `[ -e ${fileOf(lab, "$what")} ] || [ -e ${fileOf(lab, "$what", "$id")} ]`;
  const refusal = `if ${isRefused}; then echo 'the test refuses it' >&2; exit 1; fi`;
  const wait = `while [ -e ${waitFile(lab)} ] && [ "$1" = requeuehold ]; do sleep 0.05; done`;
  writeFileSync(
    join(bin, "scontrol"),
    `#!/bin/sh\n${what}\n${refusal}\n${wait}\nPATH=${lab.plan.path}\nexec scontrol "$@"\n`,
  );
  chmodSync(join(bin, "scontrol"), 0o755);
  return bin;
}

export const refuse = (lab: Lab, what: Refusable, jobId: string): void => writeFileSync(fileOf(lab, what, jobId), "");
export const allow = (lab: Lab, what: Refusable, jobId: string): void => rmSync(fileOf(lab, what, jobId));
/** Of every job. */
export const refuseReleases = (lab: Lab): void => writeFileSync(fileOf(lab, "release"), "");
export const allowReleases = (lab: Lab): void => rmSync(fileOf(lab, "release"));

/** The commands are under way, and do not reach Slurm. */
export const keepRequeuesWaiting = (lab: Lab): void => writeFileSync(waitFile(lab), "");
export const letRequeuesGo = (lab: Lab): void => rmSync(waitFile(lab));

const waitFile = (lab: Lab) => `${lab.sharedDir}/requeues-wait`;
const fileOf = (lab: Lab, what: string, jobId = "all") => `${lab.sharedDir}/refuse-${what}-${jobId}`;
