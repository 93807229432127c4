/**
 * facts: what `doctor` could find out about this machine and its Slurm. Nothing here judges; what could not be found out
 * says why.
 */
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Instant } from "@reprise/core/nouns.ts";
import { systemChance } from "@reprise/runtime/chance.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { commandEnvironment } from "@reprise/sac/slurm/command/environment.ts";
import { createLook } from "@reprise/sac/slurm/command/look.ts";
import { createRunner } from "@reprise/sac/slurm/command/run.ts";
import { askMode } from "../ask-mode.ts";
import type { Config } from "../config-schema.ts";
import type { Console } from "../console.ts";
import { readable } from "../failure.ts";
import { httpSend } from "../http-get.ts";
import type { WireClusterMode } from "../wire-mode.ts";
import { askBy, askRights, type Looked, readLook, type Rights } from "./ask-slurm.ts";
import { type Found, found, notFound } from "./found.ts";
import {
  type Beats,
  type DataFolder,
  type EndScript,
  findProgram,
  lookAtFolder,
  readBeats,
  readEndScript,
} from "./machine.ts";

/** The settings that say what this machine is meant to do. */
export type Wanted = Pick<
  Config,
  "mode" | "partitions" | "slurmReleases" | "failOpenAfter" | "serverGrace" | "requireWatchdog"
>;

export interface Facts {
  readonly now: Instant;
  readonly wanted: Wanted;
  /** Where each Slurm program is, by PATH. */
  readonly programs: readonly { readonly name: string; readonly path: Found<string> }[];
  /** The release of these programs, by `squeue --version`: `25.11.7`. */
  readonly clientVersion: Found<string>;
  /** `scontrol show config`. */
  readonly slurmConfig: Found<ReadonlyMap<string, string>>;
  /** The clock of slurmctld against ours, to the second. */
  readonly slurmSkewMs?: number;
  readonly user: string;
  readonly rights: Rights;
  readonly looked: Found<Looked>;
  /** The script that slurmctld calls at the end of a job. Absent: none is configured. */
  readonly endScript?: Found<EndScript>;
  readonly dataFolder: DataFolder;
  readonly beats: Beats;
  readonly server: { readonly url: string; readonly answer: Found<ServerAnswer> };
}

export interface ServerAnswer {
  readonly isReady: boolean;
  /** The clock of the Reprise server against ours, to the second. */
  readonly skewMs?: number;
  /** What may be done on the cluster, as the server has it. */
  readonly mode: Found<WireClusterMode>;
}

const programNames = ["scontrol", "squeue", "sinfo", "scancel"];
const serverLimitMs = 2_000;

export async function gatherFacts(values: Config, url: string, clock: Clock, console: Console): Promise<Facts> {
  const run = createRunner(clock);
  const env = commandEnvironment(console.env);
  const ask = askBy(run, env);
  const log = createLog({ name: "doctor", level: "error", isPretty: console.errTerminal.isTty });
  const look = createLook({ run, clock, chance: systemChance, log, env, cluster: values.cluster });

  const programs = programNames.map((name) => ({ name, path: findProgram(name, env["PATH"] ?? "") }));
  const [said, client] = await Promise.all([ask("scontrol", ["show", "config"]), ask("squeue", ["--version"])]);
  const askedAt = clock.now();
  // Without a controller each further question would wait until it gives up.
  const rights = said.kind === "found" ? await askRights(ask) : { mayAct: said, mayMark: said };
  const looked = said.kind === "found" ? readLook(await look()) : said;
  const slurmConfig: Facts["slurmConfig"] = said.kind === "found" ? found(parseConfig(said.value)) : said;
  const settings = slurmConfig.kind === "found" ? slurmConfig.value : new Map<string, string>();
  const script = settings.get("JobCompType") === "jobcomp/script" ? settings.get("JobCompLoc") : undefined;
  const slurmNow = said.kind === "found" ? readInstant(said.value) : undefined;
  return {
    now: clock.now(),
    wanted: values,
    programs,
    clientVersion: readVersion(client),
    slurmConfig,
    ...(slurmNow === undefined ? {} : { slurmSkewMs: slurmNow - askedAt }),
    user: userInfo().username,
    rights,
    looked,
    ...(script === undefined ? {} : { endScript: readEndScript(script) }),
    dataFolder: lookAtFolder(values.data, clock.now()),
    beats: readBeats(join(values.data, "sac")),
    server: { url, answer: await askServer(url, values, clock, console) },
  };
}

/** `slurm-wlm 22.05.8`, `slurm 25.11.7`. */
export function readVersion(said: Found<string>): Found<string> {
  if (said.kind === "not-found") return said;
  const version = /^slurm\S* (\d\d\.\d\d\S*)/.exec(said.value)?.[1];
  return version === undefined ? notFound(`squeue --version says ${said.value}`) : found(version);
}

/** `KillWait                = 30 sec` → `KillWait`: `30 sec`. */
export function parseConfig(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split("\n").flatMap((line) => {
      const [, key, value] = /^(\w[\w[\]]*)\s*=\s(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, (value ?? "").trim()] as const];
    }),
  );
}

/** `Configuration data as of 1795989308`: the second in which slurmctld answered, taken at its middle. */
export function readInstant(text: string): Instant | undefined {
  const seconds = /^Configuration data as of (\d{9,11})$/m.exec(text)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000 + 500;
}

async function askServer(url: string, values: Config, clock: Clock, console: Console): Promise<Found<ServerAnswer>> {
  const { caFile } = values;
  try {
    const tls = caFile === undefined ? {} : { tls: { ca: readable("ca_file", () => readFileSync(caFile, "utf8")) } };
    const request = { method: "GET", url: new URL("/readyz", url), headers: {}, ...tls } as const;
    const { headers, status } = await httpSend(request, serverLimitMs);
    const said = Date.parse(String(headers["date"]));
    // Whole seconds: the middle of the second that it names.
    const skew = Number.isNaN(said) ? {} : { skewMs: said + 500 - clock.now() };
    const tokenFile = values.tokenFile ?? join(values.data, "token");
    const token = existsSync(tokenFile) ? { tokenFile } : {};
    const mode = await askMode({ url, ...token, ...(caFile === undefined ? {} : { caFile }) }, console);
    return found({ isReady: status === 200, ...skew, mode });
  } catch (error) {
    return notFound(error instanceof Error ? error.message : String(error));
  }
}
