/**
 * checks: what the facts about this machine mean for recovery, each with what to do.
 *
 * Takes   `Facts`. Pure, total.
 * Gives   one line a check: `ok`, `warn` (it works, with the loss that is named), `fail` (recovery does not work).
 * Source  slurm.conf's manual page; docs/job-authors.md for the dependencies; the restart delay was measured.
 */
import { parseSettings } from "@reprise/sac/slurm/parse-config.ts";
import type { Facts } from "./facts.ts";

export interface Check {
  readonly name: string;
  readonly verdict: "ok" | "warn" | "fail";
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

const minJobAgeSeconds = 300;
const killWaitSecondsMax = 120;
const freeBytesMin = 1024 ** 3;
const skewMsMax = 2_000;

export function checkFacts(facts: Facts): readonly Check[] {
  return [...checkPrograms(facts), ...checkSlurm(facts), ...checkClock(facts), ...checkFolder(facts)];
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

function checkSlurm({ slurmConfig, user, endScript }: Facts): readonly Check[] {
  if (slurmConfig.kind === "not-found") {
    return [
      fail(
        "Slurm controller",
        slurmConfig.why,
        "Look with `scontrol ping`; is SLURM_CONF the cluster's? SAC waits, and nothing is done meanwhile.",
      ),
    ];
  }
  const value = (key: string) => slurmConfig.value.get(key) ?? "";
  const settings = parseSettings([...slurmConfig.value].map(([key, text]) => `${key} = ${text}`).join("\n"));
  return [
    ok("Slurm controller", `cluster ${value("ClusterName")}, Slurm ${value("SLURM_VERSION")}`),
    checkUser(user, value("SlurmUser")),
    checkEndScript(value("JobCompType"), value("JobCompLoc"), endScript),
    checkMinJobAge(secondsOf(value("MinJobAge"))),
    checkKillWait(secondsOf(value("KillWait"))),
    ok(
      "restart delay",
      `${(settings?.requeueDelayMs ?? 0) / 1000} s by Slurm; Reprise skips it where that is safe (skip_requeue_delay)`,
    ),
    checkDependencies(value("DependencyParameters")),
  ];
}

/** `root(0)`. Only root and SlurmUser may write AdminComment, where recovery marks its holds. */
function checkUser(user: string, slurmUser: string): Check {
  const owner = slurmUser.replace(/\(.*$/, "");
  if (user === "root" || user === owner) return ok("rights", `${user} may act on all jobs`);
  return warn(
    "rights",
    `${user} may watch; only root and ${owner} may act on the jobs of others`,
    `Run SAC and the watchdog as root or ${owner} for act mode.`,
  );
}

function checkEndScript(type: string, path: string, script: Facts["endScript"]): Check {
  const name = "end-of-job script";
  const how = "See the first lines of apps/sac/jobcomp/reprise-jobcomp for the two lines of slurm.conf.";
  if (type !== "jobcomp/script") {
    return warn(name, `JobCompType is ${type || "not set"}: SAC notices an end at its next look, not at once`, how);
  }
  if (script === undefined || script.kind === "not-found") {
    return warn(name, `${path} cannot be read: ${script?.why ?? "no JobCompLoc"}`, how);
  }
  if (!script.value.text.includes("reprise-jobcomp")) {
    return warn(
      name,
      `${path} is another program: SAC notices an end at its next look, not at once`,
      "Let it call apps/sac/jobcomp/reprise-jobcomp too, or leave it: polling works.",
    );
  }
  if (!script.value.isExecutable) return fail(name, `${path} may not be executed`, `chmod 755 ${path}`);
  if (!script.value.hasWakeFile) {
    return warn(
      name,
      `${path}.wake is missing: the script finds nobody to wake`,
      `ln -s <data folder>/sac/wake ${path}.wake`,
    );
  }
  return ok(name, path);
}

function checkMinJobAge(seconds: number | undefined): Check {
  if (seconds === undefined) return warn("MinJobAge", "cannot be read", `It should be at least ${minJobAgeSeconds}.`);
  if (seconds >= minJobAgeSeconds) return ok("MinJobAge", `${seconds} s`);
  return warn(
    "MinJobAge",
    `${seconds} s: Slurm forgets a finished job so soon, and it then cannot be brought back`,
    `Set MinJobAge=${minJobAgeSeconds} or more in slurm.conf.`,
  );
}

function checkKillWait(seconds: number | undefined): Check {
  if (seconds === undefined) return warn("KillWait", "cannot be read", "It is how long a stuck job may take to die.");
  if (seconds <= killWaitSecondsMax)
    return ok("KillWait", `${seconds} s: a restart waits so long at most for a job that does not end`);
  return warn(
    "KillWait",
    `${seconds} s: every restart of a stuck job waits that long`,
    "Shorten it in slurm.conf if jobs do not need it to save.",
  );
}

function checkDependencies(parameters: string): Check {
  if (!parameters.split(",").includes("kill_invalid_depend"))
    return ok("dependencies", "kill_invalid_depend is not set");
  return warn(
    "dependencies",
    "kill_invalid_depend cancels the dependents of a failed job before it can be brought back",
    "Let authors use dag_dependencies instead of --dependency (docs/job-authors.md).",
  );
}

function checkClock({ serverSkewMs, dataFolder }: Facts): readonly Check[] {
  const skews = [
    { whose: "the Reprise server", ms: serverSkewMs },
    { whose: "the data folder's file system", ms: dataFolder.clockSkewMs },
  ];
  return skews.flatMap(({ whose, ms }) => {
    if (ms === undefined) return [];
    const shown = `${(Math.abs(ms) / 1000).toFixed(1)} s ${ms < 0 ? "behind" : "ahead of"} ours`;
    if (Math.abs(ms) <= skewMsMax) return [ok("clock", `${whose} agrees with ours`)];
    return [
      warn(
        "clock",
        `the clock of ${whose} is ${shown}`,
        "Keep the clocks of all hosts in step (chrony, ntpd): times are compared across them.",
      ),
    ];
  });
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

/** `300 sec` → 300. */
function secondsOf(text: string): number | undefined {
  const digits = /^(\d+)\b/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const ok = (name: string, says: string): Check => ({ name, verdict: "ok", says });
const warn = (name: string, says: string, todo: string): Check => ({ name, verdict: "warn", says, todo });
const fail = (name: string, says: string, todo: string): Check => ({ name, verdict: "fail", says, todo });
