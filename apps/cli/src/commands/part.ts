/**
 * server, watcher, sac, watchdog: one part of Reprise in this process.
 *
 * Takes   its configuration: from `reprise up` in the first message of its channel, else from file, variables and flags.
 * Keeps   A part under `up` ends when `up` ends, however it ended; the watchdog does not: it is there for that case.
 *         Ctrl-C in the terminal reaches a part too; under `up` it is left to `up`, which ends the parts in order.
 */
import { type Command, Option } from "commander";
import { Refusal } from "@reprise/core/refusal.ts";
import { type Life, processLife } from "@reprise/runtime/life.ts";
import { createLog, type LogLevel } from "@reprise/runtime/log.ts";
import { type Parent, parentOfThisProcess } from "@reprise/runtime/parent.ts";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import { type Config, keysOf, type Part } from "../config-schema.ts";
import { sacConfig, serverConfig, watchdogConfig, watcherConfig } from "../config-slices.ts";
import type { Console } from "../console.ts";
import type { FirstMessage, PartMessage } from "../up/messages.ts";

interface Around {
  readonly onReady: (ready: object) => void;
  /** Aborted when whoever started this part is gone. */
  readonly orphaned?: AbortSignal;
}

/** Of each part: its slice of the configuration, and how it is run until its life ends. */
interface Runner<C> {
  configOf(values: Config): C;
  run(config: C, life: Life, around: Around): Promise<void>;
}

/** What `configOf` gives is what `run` takes: their type is nobody else's business. */
const runner = <C>(part: Runner<C>): Runner<unknown> => part;

const runners: Readonly<Record<Part, Runner<unknown>>> = {
  server: runner({
    configOf: serverConfig,
    async run(config, life, { onReady }) {
      const { startServer } = await import("@reprise/server/main.ts");
      const { ready, ended } = await startServer(config, life);
      onReady(ready);
      await ended;
    },
  }),
  watcher: runner({
    configOf: (values) => watcherConfig(values),
    run: async (config, life) => (await import("@reprise/watcher/main.ts")).main(config, life),
  }),
  sac: runner({
    configOf: (values) => sacConfig(values),
    run: async (config, life) => (await import("@reprise/sac/controller.main.ts")).main(config, life),
  }),
  watchdog: runner({
    configOf: watchdogConfig,
    run: async (config, life, { orphaned }) =>
      (await import("@reprise/sac/watchdog.main.ts")).main(config, life, orphaned),
  }),
};

export function define(command: Command, console: Console): void {
  const part = command.name() as Part;
  addConfigFlags(command, keysOf[part]);
  command.addOption(new Option("--under-up").hideHelp());
  command.action(async (options: { underUp?: boolean }) => {
    const parent = options.underUp === true ? parentOfThisProcess() : undefined;
    const code = parent === undefined ? await runAlone(part, command, console) : await runUnder(parent, part);
    process.exit(code); // Whatever a library still keeps open: this part has ended.
  });
}

async function runAlone(part: Part, command: Command, console: Console): Promise<number> {
  const { values } = loadConfig(command, console);
  const log = createLog({ name: part, level: values.logLevel, isPretty: console.errTerminal.isTty });
  const onReady = (ready: object) => console.out(`${JSON.stringify({ ready: true, ...ready })}\n`);
  await runners[part].run(runners[part].configOf(values), processLife(log), { onReady });
  return 0;
}

async function runUnder(parent: Parent, part: Part): Promise<number> {
  const { config, logLevel, isPretty } = (await parent.firstMessage) as FirstMessage;
  const log = createLog({ name: part, level: logLevel as LogLevel, isPretty });
  const life = processLife(log, { stopOn: ["SIGTERM"], ignore: ["SIGINT", "SIGHUP"] });
  if (part !== "watchdog") parent.gone.addEventListener("abort", () => life.stop("`reprise up` has ended"));
  const onReady = (ready: object) => parent.say({ kind: "ready", ready } satisfies PartMessage);
  try {
    await runners[part].run(config, life, { onReady, orphaned: parent.gone });
    return 0;
  } catch (error) {
    const isRefusal = error instanceof Refusal;
    log.error(isRefusal ? { why: error.message } : { error }, isRefusal ? "refused to run" : "ended by an error");
    return isRefusal ? 1 : 70;
  }
}
