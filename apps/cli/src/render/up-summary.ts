/** up-summary: what `reprise up` tells a person at the terminal once everything runs. Pure. */
import { join } from "node:path";
import type { Terminal } from "@reprise/runtime/environment.ts";
import { showDuration } from "@reprise/runtime/setting.ts";
import type { ServerReady } from "@reprise/server/config.ts";
import type { Config, Part } from "../config-schema.ts";
import type { PartState } from "../up/stack.ts";
import { createPaint } from "./paint.ts";

export interface UpSummary {
  readonly ready: ServerReady;
  readonly parts: readonly PartState[];
  readonly config: Config;
}

export function renderUpSummary({ ready, parts, config }: UpSummary, terminal: Terminal): string {
  const paint = createPaint(terminal.hasColour);
  const row = (label: string, text: string) => `  ${label.padEnd(10)}${text}\n`;
  return [
    `\n${paint.strong("Reprise is up.")} ${modeSentence(config)}\n`,
    row("HTTP", ready.http || "off: external_endpoints is false"),
    row("gRPC", ready.grpc || "off"),
    row("internal", `${ready.internalHttp}  ${ready.internalGrpc}`),
    row("token", config.insecure ? "none: insecure" : ready.tokenFile),
    row("data", config.databaseUrl === undefined ? config.data : `${config.data}, records in PostgreSQL`),
    ...parts.map(({ part, pid }) =>
      row(part, `${doing(part, config)} ${paint.faint(pid === undefined ? "" : `pid ${pid}`)}`.trimEnd()),
    ),
    paint.faint("Ctrl-C stops it.\n\n"),
  ].join("");
}

function modeSentence({ mode, partitions, scheduler }: Config): string {
  if (scheduler === "none") return "No scheduler: it takes reports and changes nothing.";
  const slurm = scheduler === "simulated" ? "a simulated Slurm" : "Slurm";
  if (mode === "observe") return `Observe mode: it watches and decides, and changes nothing in ${slurm}.`;
  return `Act mode: it recovers jobs in ${partitions.join(", ")}${scheduler === "simulated" ? ` of ${slurm}` : ""}.`;
}

function doing(part: Part, config: Config): string {
  switch (part) {
    case "server":
      return "keeps the records and decides";
    case "watcher":
      return "reads the logs of running jobs";
    case "sac":
      return `looks at Slurm every ${showDuration(config.poll)}`;
    case "watchdog":
      return `${config.watchdogMode === "act" ? "releases" : "reports"} what recovery left held for ${showDuration(config.failOpenAfter)}; log in ${join(config.data, "watchdog.log")}`;
  }
}
