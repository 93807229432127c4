/**
 * Goal    who is told by webhook is read from the file as it is written there, and what is wrong is said by its key, never by its URL.
 */
import { Command } from "commander";
import { expect, test } from "vitest";
import { ConfigError } from "@reprise/runtime/config.ts";
import { noticeKinds } from "@reprise/server/manager/notice/notice.ts";
import { addConfigFlags } from "./config-flags.ts";
import { loadConfig } from "./config-load.ts";
import { serverConfig } from "./config-slices.ts";
import { renderConfig } from "./render/config.ts";
import { viewOf } from "./render/view.ts";
import { fakeConsole } from "./testing/fake-console.ts";

function load(notify: unknown, allow = "") {
  const console = fakeConsole({ REPRISE_NOTIFY: JSON.stringify(notify), REPRISE_NOTIFY_ALLOW: allow });
  const command = addConfigFlags(new Command("up").exitOverride());
  command.parse([], { from: "user" });
  return { resolved: loadConfig(command, console), console };
}

function problemsOf(notify: unknown, allow = ""): readonly string[] {
  try {
    load(notify, allow);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test("a receiver has what it says, and what holds where it says nothing", () => {
  const given = {
    chat: {
      url: "https://hooks.test/secret",
      form: "slack",
      quiet: "22:00-07:30",
      zone: "Europe/Berlin",
      group_for: "2m",
    },
    ops: { url_file: "hook.url", secret_file: "/etc/hook.key", kinds: ["blind", "hold-released"] },
  };
  const { resolved } = load(given, "10.0.0.0/8");
  expect(serverConfig(resolved.values).notices).toEqual({
    allow: ["10.0.0.0/8"],
    receivers: [
      {
        name: "chat",
        url: { text: "https://hooks.test/secret" },
        form: "slack",
        kinds: noticeKinds,
        groupForMs: 120_000,
        quiet: { from: 22 * 60, to: 7 * 60 + 30, zone: "Europe/Berlin" },
        always: ["blind"],
      },
      {
        name: "ops",
        url: { file: "/here/hook.url" },
        form: "json",
        secretFile: "/etc/hook.key",
        kinds: ["blind", "hold-released"],
        groupForMs: 30_000,
        always: ["blind"],
      },
    ],
  });
});

test("what is wrong is named by its key, with its value and what was expected", () => {
  const one = (change: object) => problemsOf({ ops: { url: "https://hooks.test/secret", ...change } });
  expect(one({ form: "teams" })).toEqual(['notify.ops.form = "teams": expected json or slack']);
  expect(one({ quiet: "22-7" })).toEqual(['notify.ops.quiet = "22-7": expected hours such as 22:00-07:00']);
  expect(one({ zone: "Mars" })[0]).toMatch(/^notify\.ops\.zone = "Mars": expected a time zone/);
  expect(one({ group_for: "30" })[0]).toMatch(/^notify\.ops\.group_for = "30": expected a time with its unit/);
  expect(one({ kinds: ["crash"] })[0]).toMatch(/^notify\.ops\.kinds\.0 = "crash": expected one of recovery-stopped/);
  expect(one({ secret: "x" })[0]).toMatch(/^notify\.ops\.secret: unknown; expected url, url_file/);
  expect(one({ url_file: "x" })).toEqual(["notify.ops: expected one of url and url_file"]);
  expect(problemsOf({ ops: { url: "ftp://hooks.test/secret" } })).toEqual([
    "notify.ops.url: expected a URL that begins with https:// or http://",
  ]);
  expect(problemsOf({}, "10.0.0.0/40")[0]).toMatch(/^notify_allow = 10\.0\.0\.0\/40: expected networks/);
});

test("`reprise config` shows no URL of a receiver", () => {
  const { resolved, console } = load({ chat: { url: "https://hooks.test/nobody-knows" } });
  expect(renderConfig(resolved, viewOf(console))).not.toContain("nobody-knows");
});
