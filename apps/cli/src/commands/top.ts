/**
 * top: recoveries, live: looks every two seconds and draws what it sees over what stood there.
 *
 * Gives   ends on `q` and Ctrl-C with exit code 0, and the terminal is as it was. Without a terminal, and on one that
 *         cannot be drawn over (`TERM=dumb`): one picture, and it ends.
 * Fails   the first look that fails ends it; later ones are said above the last picture, and it goes on looking.
 */
import type { Command } from "commander";
import { systemClock } from "@reprise/runtime/clock.ts";
import { untilAborted } from "@reprise/runtime/life.ts";
import { interrupt, openScreen } from "@reprise/runtime/screen.ts";
import { addClientFlags, type Client, type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderTop, type Top } from "../render/top.ts";
import { viewOf } from "../render/view.ts";
import type { WireJobRow, WireNow } from "../wire-now.ts";
import { clusterFlag } from "./listing.ts";

const lookEveryMs = 2_000;
/** Of each standing. */
const rowsMax = 100;
const shown = ["stopped", "deciding", "recovering"] as const;

type Options = ClientOptions & { readonly cluster?: string };

export function define(command: Command, console: Console): void {
  addClientFlags(command)
    .addOption(clusterFlag())
    .action((options: Options) => top(options, console));
}

async function top(options: Options, console: Console): Promise<void> {
  const client = createClient(options, console);
  const first = await look(client, options);
  if (options.json === true) return console.out(`${JSON.stringify(first, undefined, 2)}\n`);
  if (!console.outTerminal.canRedraw) return console.out(`${renderTop(first, viewOf(console)).join("\n")}\n`);
  await watch(first, () => look(client, options), console);
}

async function look(client: Client, { cluster }: Options): Promise<Top> {
  const now = await client.get<WireNow>("/reprise/v1/now", { cluster }, "how jobs stand");
  const lists = await Promise.all(
    shown.map((standing) =>
      client.get<{ jobs?: readonly WireJobRow[] }>("/reprise/v1/jobs", { cluster, standing, limit: rowsMax }, "jobs"),
    ),
  );
  return { now, rows: lists.flatMap(({ jobs = [] }) => jobs) };
}

async function watch(first: Top, again: () => Promise<Top>, console: Console): Promise<void> {
  const ended = new AbortController();
  let picture = first;
  const end = () => ended.abort();
  const draw = () => {
    const { width, height } = screen.size();
    screen.draw(renderTop(picture, { ...viewOf(console), width }, height));
  };
  const screen = openScreen(process.stdout, process.stdin, {
    onKey: (key) => (key === "q" || key === interrupt ? end() : undefined),
    onResize: draw,
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  try {
    while (!ended.signal.aborted) {
      draw();
      await systemClock.sleep(lookEveryMs, ended.signal);
      if (!ended.signal.aborted)
        picture = await Promise.race([next(again, picture), untilAborted(ended.signal).then(() => picture)]);
    }
  } finally {
    screen.close();
  }
}

async function next(again: () => Promise<Top>, before: Top): Promise<Top> {
  try {
    return await again();
  } catch (error) {
    return { ...before, failed: error instanceof Error ? error.message : String(error) };
  }
}
