/**
 * parse-config: what SAC must know of a cluster's configuration.
 *
 * Takes         `scontrol show config`: lines `ClusterName             = lab`, `AuthInfo = socket=/x,cred_expire=5`.
 * Gives         the cluster's name, slurmctld's version, when it was started, and how long a requeued job may not start: `requeue_delay` where Slurm has it (25.11 and
 *               later), else `cred_expire` (120 s when unset), and one second.
 * Pure, total   no name: undefined.
 * Source        man slurm.conf; 121 s measured at the default on 22.05 and 25.11.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { parseInstant } from "./parse-value.ts";

const credExpireDefaultSeconds = 120;

export interface SlurmSettings {
  readonly cluster: string;
  /** Of slurmctld, as printed: `25.11.7`. Absent: not printed. */
  readonly version?: string;
  readonly requeueDelayMs: number;
  /** When this slurmctld was started, by its clock: another one may have forgotten what this one had not saved. Absent: not printed. */
  readonly bootedAt?: Instant;
}

export function parseSettings(text: string): SlurmSettings | undefined {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const at = line.indexOf("=");
    if (at > 0) values.set(line.slice(0, at).trim(), line.slice(at + 1).trim());
  }
  const cluster = values.get("ClusterName");
  if (cluster === undefined || cluster === "") return undefined;
  const option = (list: string | undefined, name: string) =>
    list?.split(",").flatMap((part) => (part.startsWith(`${name}=`) ? [Number(part.slice(name.length + 1))] : []))[0];
  const requeueDelay = option(values.get("SchedulerParameters"), "requeue_delay");
  const credExpire = option(values.get("AuthInfo"), "cred_expire") ?? credExpireDefaultSeconds;
  const seconds = (requeueDelay ?? credExpire) + 1;
  const version = values.get("SLURM_VERSION");
  const requeueDelayMs = (Number.isFinite(seconds) ? seconds : credExpireDefaultSeconds + 1) * 1000;
  const bootedAt = parseInstant(values.get("BOOT_TIME") ?? ""); // In epoch seconds: `command/environment.ts` asks for them.
  return {
    cluster,
    ...(version === undefined ? {} : { version }),
    requeueDelayMs,
    ...(bootedAt === undefined ? {} : { bootedAt }),
  };
}
