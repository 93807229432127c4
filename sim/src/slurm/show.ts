/**
 * show: `scontrol show config` and `show reservation`, as far as SAC reads them, and `scontrol show job N --json`, which it never asks for.
 *
 * Source  man scontrol; slurm-new.md: its JSON is empty, rc 0 and without a word, for an unknown job and for any while slurmctld is down.
 */
import { compressHostlist } from "@reprise/core/fact/hostlist.ts";
import { jobsJson } from "./json.ts";
import type { Ledger } from "./ledger.ts";
import type { Answered } from "./sim-slurm.ts";
import { find } from "./tasks.ts";

export function show(ledger: Ledger, [what = "", name = "", ...options]: readonly string[]): Answered {
  if (what === "config") return { rc: 0, stdout: configOf(ledger), stderr: "" };
  if (what === "reservation") return { rc: 0, stdout: reservationsOf(ledger), stderr: "" };
  if (what !== "job") throw new Error(`scontrol show ${what} is not in this model`);
  if (ledger.release.json === "22.05")
    return { rc: 1, stdout: "", stderr: `scontrol: unrecognized option '${options[0] ?? ""}'\n` };
  return { rc: 0, stdout: jobsJson(ledger, find(ledger, name.split("_")[0] ?? "", { splits: false })), stderr: "" };
}

/** What the program prints when it does not reach slurmctld; `undefined` where it says so. */
export function shownBlind({ release }: Ledger, args: readonly string[]): string | undefined {
  const isJson = args[0] === "show" && args[1] === "job" && args.includes("--json");
  return isJson && release.json !== "22.05" ? '{"jobs":[],"errors":[]}' : undefined;
}

function reservationsOf({ settings: { reservations } }: Ledger): string {
  const lines = Object.entries(reservations).map(
    ([name, nodes]) =>
      `ReservationName=${name} Nodes=${compressHostlist([...nodes])} NodeCnt=${nodes.length} Users=root State=ACTIVE\n`,
  );
  return lines.join("") || "No reservations in the system\n";
}

function configOf({ settings, release, bootedAt }: Ledger): string {
  const delay = release.hasRequeueOptions ? settings.requeueDelaySeconds : undefined;
  return [
    "Configuration data as of 0",
    `AuthInfo                = cred_expire=${settings.credExpireSeconds}`,
    `BOOT_TIME               = ${bootedAt / 1000}`,
    `ClusterName             = ${settings.cluster}`,
    `SchedulerParameters     = ${delay === undefined ? "(null)" : `requeue_delay=${delay}`}`,
    `SLURM_VERSION           = ${release.version}`,
    "",
  ].join("\n");
}
