/**
 * Goal    `--help` names every setting that may be a flag, in a group, with its choices and its default; a secret has no flag.
 * Method  the help text of a command that takes all settings.
 */
import { Command } from "commander";
import { expect, test } from "vitest";
import { flagName } from "@reprise/runtime/config.ts";
import type { Setting } from "@reprise/runtime/setting.ts";
import { addConfigFlags } from "./config-flags.ts";
import { type ConfigKey, settings } from "./config-schema.ts";

const help = addConfigFlags(new Command("up").configureHelp({ helpWidth: 1_000 })).helpInformation();

test("every setting has its flag, but for a secret", () => {
  for (const key of Object.keys(settings) as ConfigKey[]) {
    const setting: Setting<unknown> = settings[key];
    const isOn = setting.type.isSwitch === true && setting.default === true;
    const flag = isOn ? flagName(key).replace("--", "--no-") : flagName(key);
    expect(new RegExp(`^ +${flag}( |$)`, "m").test(help), flag).toBe(setting.isSecret !== true);
  }
});

test.each([
  ["choices and a default", "--scheduler <slurm|simulated|none>", "(default slurm)"],
  ["a time as it is written", "--fail-open-after <time>", "(default 3m)"],
  ["what a flag switches off", "--no-require-watchdog", "Switches off: SAC acts only"],
  ["nothing for an empty list", "--partitions <a,b>", "all of its partitions are here.\n"],
])("%s: %s", (_what, flag, words) => {
  const from = help.indexOf(flag);
  expect(help.slice(from, help.indexOf("\n", from) + 1)).toContain(words);
});

test("what acts on jobs stands apart from who may call", () => {
  const order = [
    "Options:",
    "--act",
    "Acting on jobs:",
    "--mode",
    "Listening:",
    "--http-port",
    "Who may call, and how:",
  ];
  const places = order.map((words) => help.indexOf(words));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});
