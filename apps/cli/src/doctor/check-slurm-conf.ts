/**
 * check-slurm-conf: what the settings of Slurm mean for recovery.
 *
 * Takes   `scontrol show config`, key by key. Pure, total: a key that this release does not print is not judged.
 * Source  man slurm.conf; the restart delay, and that our requeues do not count for MaxBatchRequeue, were measured.
 */
import { releaseOf, releaseStanding, triedReleases } from "@reprise/core/fact/slurm-release.ts";
import { parseSettings } from "@reprise/sac/slurm/parse-config.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import type { Facts } from "./facts.ts";
import type { Found } from "./found.ts";

type Settings = ReadonlyMap<string, string>;

const minJobAgeSeconds = 300;
const killWaitSecondsMax = 120;

export function checkSlurmConf(settings: Settings, { wanted, clientVersion }: Facts): readonly Check[] {
  const delay = parseSettings([...settings].map(([key, text]) => `${key} = ${text}`).join("\n"))?.requeueDelayMs ?? 0;
  return [
    checkRelease(settings, wanted),
    ...checkClients(settings.get("SLURM_VERSION") ?? "", clientVersion),
    checkMinJobAge(secondsOf(settings.get("MinJobAge"))),
    checkKillWait(secondsOf(settings.get("KillWait"))),
    ok("restart delay", `${delay / 1000} s by Slurm; Reprise skips it where that is safe (skip_requeue_delay)`),
    ...switches.flatMap(({ key, judge }) => {
      const value = settings.get(key);
      return value === undefined ? [] : [judge(value === "(null)" ? "" : value)];
    }),
  ];
}

/** One row a setting that is on or off, or a list. */
const switches: readonly { readonly key: string; judge(value: string): Check }[] = [
  {
    key: "JobRequeue",
    judge: (value) =>
      value === "0"
        ? warn(
            "JobRequeue",
            "0: a job can be brought back only if its author submitted it with --requeue",
            "Set JobRequeue=1 in slurm.conf, or tell authors to use --requeue.",
          )
        : ok("JobRequeue", "jobs may be requeued unless their author says --no-requeue"),
  },
  {
    key: "KillOnBadExit",
    judge: (value) =>
      value === "0"
        ? warn(
            "KillOnBadExit",
            "0: when one rank dies srun lets the others wait, and a crash looks like a hang",
            "Set KillOnBadExit=1 in slurm.conf, or let authors use srun --kill-on-bad-exit=1.",
          )
        : ok("KillOnBadExit", "srun ends a step when one of its ranks fails"),
  },
  {
    key: "JobFileAppend",
    judge: (value) =>
      value === "0"
        ? warn(
            "JobFileAppend",
            "0: a restarted job empties its log; what the failed attempt printed is gone but for the lines that were told",
            "Set JobFileAppend=1 in slurm.conf, or let authors use --open-mode=append.",
          )
        : ok("JobFileAppend", "a restarted job appends to its log"),
  },
  {
    key: "RequeueExit",
    judge: (value) =>
      ok(
        "RequeueExit",
        value === ""
          ? "not set: Slurm requeues no failed job by itself"
          : `${value}: Slurm itself requeues these exit codes at once; recovery adds constraints, and counts them`,
      ),
  },
  {
    key: "RequeueExitHold",
    judge: (value) =>
      value === ""
        ? ok("RequeueExitHold", "not set")
        : warn(
            "RequeueExitHold",
            `${value}: Slurm holds jobs that end so (SPECIAL_EXIT); they wait for a person, and are not recovered`,
            "Take the codes out of RequeueExitHold that recovery shall decide about.",
          ),
  },
  {
    key: "PreemptMode",
    judge: (value) =>
      ok(
        "PreemptMode",
        /REQUEUE/i.test(value)
          ? `${value}: Slurm itself requeues what it preempts; that is charged to nobody`
          : value || "OFF",
      ),
  },
  {
    key: "MaxBatchRequeue",
    judge: (value) => ok("MaxBatchRequeue", `${value}: counts Slurm's own requeues after a failed launch, not ours`),
  },
  {
    key: "AccountingStoreFlags",
    judge: (value) =>
      ok(
        "job comments",
        /job_comment/.test(value)
          ? "kept in accounting too (AccountingStoreFlags)"
          : "not kept in accounting (AccountingStoreFlags=job_comment); recovery reads them from squeue",
      ),
  },
  {
    key: "DependencyParameters",
    judge: (value) =>
      value.split(",").includes("kill_invalid_depend")
        ? warn(
            "dependencies",
            "kill_invalid_depend cancels the dependents of a failed job before it can be brought back",
            "Let authors use dag_dependencies instead of --dependency (docs/job-authors.md).",
          )
        : ok("dependencies", "kill_invalid_depend is not set"),
  },
];

function checkRelease(settings: Settings, { mode, slurmReleases }: Facts["wanted"]): Check {
  const version = settings.get("SLURM_VERSION");
  const says = `cluster ${settings.get("ClusterName") ?? ""}, Slurm ${version ?? "of an unknown release"}`;
  switch (releaseStanding(version, slurmReleases)) {
    case "tried":
      return ok("Slurm controller", says);
    case "allowed":
      return ok("Slurm controller", `${says}: recovery was not tried on it; slurm_releases allows it`);
    case "unknown":
    case "untried":
      return (mode === "act" ? fail : warn)(
        "Slurm controller",
        `${says}: recovery was not tried on it (but on ${triedReleases.from} to ${triedReleases.to}), and only observes`,
        "See a canary through in observe mode, then name the release in slurm_releases.",
      );
  }
}

/** A newer controller than its clients: "Insane message length". Releases that are near each other understand each other. */
function checkClients(version: string, client: Found<string>): readonly Check[] {
  const name = "Slurm programs";
  if (client.kind === "not-found") return [warn(name, `say no release: ${client.why}`, "Try `squeue --version`.")];
  if (releaseOf(client.value) === releaseOf(version)) return [];
  return [
    warn(
      name,
      `are of ${client.value}, and slurmctld of ${version}`,
      "Put the cluster's own programs first on the PATH: older ones cannot read a much newer controller, and know less of it.",
    ),
  ];
}

function checkMinJobAge(seconds: number | undefined): Check {
  if (seconds === undefined) return warn("MinJobAge", "cannot be read", `It should be at least ${minJobAgeSeconds}.`);
  if (seconds === 0) return ok("MinJobAge", "0: Slurm forgets no job; each look at it costs more as they grow");
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

/** `300 sec` → 300. */
function secondsOf(text = ""): number | undefined {
  const digits = /^(\d+)\b/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
