/**
 * config-flags: one flag a setting, in groups, as `--help` shows them.
 *
 * Keeps   a secret has no flag: flags show in the process list. What is on by default has a flag that switches it off.
 */
import { type Command, Option } from "commander";
import { flagName } from "@reprise/runtime/config.ts";
import type { Setting } from "@reprise/runtime/setting.ts";
import { type ConfigKey, configKeys, listeners, settings } from "./config-schema.ts";

/** A setting that is in none of them comes last. */
const groups: Readonly<Record<string, readonly ConfigKey[]>> = {
  "Options:": ["data", "scheduler", "environment", "cluster", "logLevel"],
  "Acting on jobs:": [
    "mode",
    "partitions",
    "slurmReleases",
    "skipRequeueDelay",
    "restartsPerMinuteMax",
    "poll",
    "requireWatchdog",
    "watchdogMode",
    "watchdogPoll",
    "failOpenAfter",
    "serverGrace",
  ],
  "What holds for jobs:": ["policyDefaults", "policyCaps"],
  "How long is kept:": ["retentionDays", "attemptRetentionDays", "auditRetentionDays"],
  "Reading logs:": ["watcherId", "signatureDirs", "nodeLogs", "nodeLogZone", "targetsMax"],
  "Calling the server:": ["server", "caFile", "clientCert", "clientKey", "tlsServerName"],
  "Listening:": listeners,
};
const lastGroup = "Who may call, and how:";

/** Adds `--config` and the flags of these settings. */
export function addConfigFlags(command: Command, keys: readonly ConfigKey[] = configKeys): Command {
  command.option("--config <file>", "YAML file with settings (or REPRISE_CONFIG)");
  if (keys.includes("mode")) {
    const both = keys.includes("watchdogMode");
    command.option(
      "--act",
      both ? "SAC and the watchdog act: mode and watchdog_mode become act" : "SAC acts: mode becomes act",
    );
  }
  const grouped = Object.values(groups).flat();
  const rest = keys.filter((key) => !grouped.includes(key));
  for (const [heading, members] of [...Object.entries(groups), [lastGroup, rest] as const])
    for (const key of members) if (keys.includes(key)) addFlag(command, heading, key);
  return command;
}

function addFlag(command: Command, heading: string, key: ConfigKey): void {
  const setting: Setting<unknown> = settings[key];
  const { doc, type, isSecret } = setting;
  if (isSecret === true) return;
  const add = (flags: string, says: string) => void command.addOption(new Option(flags, says).helpGroup(heading));
  if (type.isSwitch !== true) add(`${flagName(key)} <${type.placeholder ?? "value"}>`, `${doc}${defaultOf(setting)}`);
  else if (setting.default !== true) add(flagName(key), doc);
  else add(flagName(key).replace(/^--/, "--no-"), `Switches off: ${inSentence(doc)}`);
}

/** Not as commander's own default: a flag that was not given must not count as a value. */
function defaultOf({ type, default: value }: Setting<unknown>): string {
  const shown = type.show?.(value) ?? String(value);
  return value === undefined || shown.startsWith("(") ? "" : ` (default ${shown})`; // `(none)` is no value.
}

/** `Start a job …` → `start a job …`; `SAC acts …` stays. */
const inSentence = (sentence: string) => sentence.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
