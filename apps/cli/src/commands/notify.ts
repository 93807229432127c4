/**
 * notify: `notify test` calls each webhook of the configuration with a notice that says it is a test, as the server would.
 *
 * Takes   the configuration of the server; the names of receivers, or all. The call is made from this machine.
 * Gives   a line a receiver; exit code 1 where one was not taken.
 * Keeps   asks no server, and leaves nothing in the outbox. Quiet hours and grouping do not hold for a test.
 */
import type { Command } from "commander";
import { reachOf } from "@reprise/server/manager/notice/allowed-address.ts";
import type { Notice } from "@reprise/server/manager/notice/notice.ts";
import { createSender } from "@reprise/server/manager/notice/send-notices.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import { noticeConfig } from "../config-notify.ts";
import type { Console } from "../console.ts";
import { Failure } from "../failure.ts";

export function define(command: Command, console: Console): void {
  const test = command
    .command("test")
    .description("send a test to each receiver of the configuration, or to those named")
    .exitOverride()
    .argument("[receivers...]", "names under `notify` in the configuration");
  addConfigFlags(test, ["cluster", "notifyAllow"]).action((names: readonly string[]) =>
    sendTests(names, test, console),
  );
}

async function sendTests(names: readonly string[], command: Command, console: Console): Promise<void> {
  const { values } = loadConfig(command, console);
  const config = noticeConfig(values);
  if (config === undefined)
    throw new Failure("nobody is to be told: `notify` has no receiver", {
      exitCode: 2,
      hints: ["docs/notifications.md has an example. `--config` names the file."],
    });
  const known = config.receivers.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Failure(`there is no receiver "${unknown}" under notify`, {
      exitCode: 2,
      hints: [`Known: ${known.join(", ")}.`],
    });
  const send = createSender(reachOf(config.allow));
  const chosen = config.receivers.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const receiver of chosen) {
    const why = await send(receiver, [testNotice(values.cluster, console.now())], console.now());
    console.out(why === undefined ? `${receiver.name}: taken\n` : `${receiver.name}: not taken: ${why}\n`);
    if (why !== undefined) process.exitCode = 1;
  }
}

const testNotice = (cluster: string, at: number): Notice => ({
  key: `test/${at}`,
  kind: "blind",
  cluster,
  at,
  says: "This is a test of `reprise notify test`. Nothing has happened.",
  whatToDo: "Nothing.",
});
