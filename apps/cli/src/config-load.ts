/**
 * config-load: the flags of a command (`config-flags.ts`), the variables and the file → the configuration in force.
 *
 * Fails   `ConfigError` with every problem; `Failure` when the file given cannot be read.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { ConfigError, flagName, resolveConfig } from "@reprise/runtime/config.ts";
import { checkConfig, completeConfig, configKeys, type ResolvedConfig, settings } from "./config-schema.ts";
import type { Console } from "./console.ts";
import { readable } from "./failure.ts";

/** The values in force, with their origins, checked. Says warnings on stderr. */
export function loadConfig(command: Command, console: Console): ResolvedConfig {
  const options = command.opts<Record<string, unknown>>();
  const given = (key: string) => command.getOptionValueSource(key) === "cli";
  const flags: Record<string, { name: string; value: unknown }> = {};
  if (given("act")) {
    flags["mode"] = { name: "--act", value: "act" };
    flags["watchdogMode"] = { name: "--act", value: "act" };
  }
  for (const key of configKeys) if (given(key)) flags[key] = { name: flagName(key), value: options[key] };

  const path = given("config") ? String(options["config"]) : console.env["REPRISE_CONFIG"];
  const resolved = resolveConfig(settings, {
    ...(path === undefined || path === "" ? {} : { file: readConfigFile(resolve(console.workDir, path)) }),
    variables: console.env,
    flags,
    workDir: console.workDir,
  });
  for (const warning of resolved.warnings) console.err(`warning: ${warning}\n`);
  const problems = checkConfig(resolved);
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...resolved, values: completeConfig(resolved.values) };
}

function readConfigFile(path: string): { path: string; text: string } {
  return { path, text: readable("the configuration file", () => readFileSync(path, "utf8"), 2) };
}
