/**
 * checks: what the facts about this machine mean for recovery, each with what to do.
 *
 * Takes   `Facts`. Pure, total.
 * Gives   one line a check.
 */
import { type Check, fail, ok, warn } from "./check.ts";
import { checkEndScript } from "./check-end-script.ts";
import { checkRecovery } from "./check-recovery.ts";
import { checkSlurmConf } from "./check-slurm-conf.ts";
import { checkJobs, checkRights } from "./check-slurm.ts";
import type { Facts } from "./facts.ts";

const freeBytesMin = 1024 ** 3;
const skewMsMax = 2_000;

export function checkFacts(facts: Facts): readonly Check[] {
  return [
    ...checkPrograms(facts),
    ...checkController(facts),
    ...checkClocks(facts),
    ...checkFolder(facts),
    ...checkRecovery(facts),
  ];
}

/** The worst of them, as an exit code. */
export function severityOf(checks: readonly Check[]): 0 | 1 | 3 {
  if (checks.some(({ verdict }) => verdict === "fail")) return 1;
  return checks.some(({ verdict }) => verdict === "warn") ? 3 : 0;
}

function checkPrograms({ programs }: Facts): readonly Check[] {
  const missing = programs.filter(({ path }) => path.kind === "not-found").map(({ name }) => name);
  const folders = new Set(
    programs.flatMap(({ path }) => (path.kind === "found" ? [path.value.replace(/\/[^/]*$/, "")] : [])),
  );
  if (missing.length > 0) {
    return [
      fail(
        "Slurm programs",
        `${missing.join(", ")} not on the PATH`,
        "Install the cluster's own Slurm client package, or put its programs on the PATH.",
      ),
    ];
  }
  if (folders.size > 1) {
    return [
      warn(
        "Slurm programs",
        `in different folders: ${[...folders].join(", ")}`,
        "An old client cannot read a new controller: let all come from the cluster's own release.",
      ),
    ];
  }
  return [ok("Slurm programs", `in ${[...folders].join("")}`)];
}

function checkController(facts: Facts): readonly Check[] {
  const { slurmConfig } = facts;
  if (slurmConfig.kind === "not-found") {
    return [
      fail(
        "Slurm controller",
        slurmConfig.why,
        "Look with `scontrol ping`; is SLURM_CONF the cluster's? SAC waits, and nothing is done meanwhile.",
      ),
    ];
  }
  return [
    ...checkSlurmConf(slurmConfig.value, facts),
    ...checkRights(facts, slurmConfig.value),
    checkEndScript(facts, slurmConfig.value),
    ...checkJobs(facts),
  ];
}

function checkClocks({ slurmSkewMs, server, dataFolder }: Facts): readonly Check[] {
  const serverSkewMs = server.answer.kind === "found" ? server.answer.value.skewMs : undefined;
  const skews = [
    { whose: "slurmctld", ms: slurmSkewMs },
    { whose: "the Reprise server", ms: serverSkewMs },
    { whose: "the data folder's file system", ms: dataFolder.clockSkewMs },
  ];
  const known = skews.flatMap(({ whose, ms }) => (ms === undefined ? [] : [{ whose, ms }]));
  const off = known.filter(({ ms }) => Math.abs(ms) > skewMsMax);
  if (off.length === 0) {
    return known.length === 0 ? [] : [ok("clock", `ours agrees with ${known.map(({ whose }) => whose).join(", ")}`)];
  }
  return off.map(({ whose, ms }) =>
    warn(
      "clock",
      `the clock of ${whose} is ${(Math.abs(ms) / 1000).toFixed(1)} s ${ms < 0 ? "behind" : "ahead of"} ours`,
      "Keep the clocks of all hosts in step (chrony, ntpd): times are compared across them.",
    ),
  );
}

function checkFolder({ dataFolder: { path, isWritable, freeBytes, isShared } }: Facts): readonly Check[] {
  if (isWritable.kind === "not-found")
    return [fail("data folder", isWritable.why, "Give another with --data, or make it writable for this user.")];
  if (isShared === true)
    return [
      fail(
        "data folder",
        `${path} is on a shared file system`,
        "Put it on a local disk: SAC's journal and the database need locks and fsync that hold.",
      ),
    ];
  if (freeBytes !== undefined && freeBytes < freeBytesMin) {
    return [
      warn(
        "data folder",
        `${path} has ${Math.round(freeBytes / 1024 ** 2)} MB left`,
        "Make room: when the journal cannot be written SAC stops acting.",
      ),
    ];
  }
  return [ok("data folder", `${path} is writable`)];
}
