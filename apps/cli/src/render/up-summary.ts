/** up-summary: what `reprise up` tells a person at the terminal once everything runs. Pure. */
import { join } from "node:path";
import type { Terminal } from "@reprise/runtime/environment.ts";
import { showDuration } from "@reprise/runtime/setting.ts";
import type { ServerReady } from "@reprise/server/config.ts";
import type { Config, Part } from "../config-schema.ts";
import type { PartState } from "../up/stack.ts";
import type { WireClusterMode, WireNote } from "../wire-mode.ts";
import { createPaint } from "./paint.ts";
import { printable } from "./printable.ts";

export interface UpSummary {
  readonly ready: ServerReady;
  readonly parts: readonly PartState[];
  readonly config: Config;
  /** Absent: the server did not say. */
  readonly mode?: WireClusterMode;
}

export function renderUpSummary({ ready, parts, config, mode }: UpSummary, terminal: Terminal): string {
  const paint = createPaint(terminal.hasColour);
  const row = (label: string, text: string) => `  ${label.padEnd(10)}${text}\n`;
  return [
    `\n${paint.strong("Reprise is up.")} ${modeSentence(config)}\n`,
    ...orderedOf(mode).map((text) => row("ordered", text)),
    row("HTTP", ready.http || "off: external_endpoints is false"),
    ...(ready.http === "" ? [] : [row("page", `${ready.http}/`)]),
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

/** What people have ordered about the cluster, and still holds. */
function orderedOf(mode: WireClusterMode | undefined): readonly string[] {
  const { mode: ordered, stop } = mode?.orders ?? {};
  const where = ordered?.mode === "act" ? ` in ${(ordered.partitions ?? []).join(", ")}` : "";
  const said = (note: WireNote | undefined) => `by ${note?.by ?? ""}: ${note?.reason ?? ""}`;
  return [
    ...(ordered === undefined ? [] : [`${ordered.mode ?? ""}${where}, ${said(ordered.note)}`]),
    ...(stop === undefined ? [] : [`stopped ${said(stop)}`]),
  ].map(printable);
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
