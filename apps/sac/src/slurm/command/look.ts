/**
 * look: one pass over Slurm: every job it still knows, its nodes with what reserves them, and what slurmctld is; at rest only whether
 * anything has happened.
 *
 * In the loop   **look** → view → plan → apply → look again
 * Gives         `seen` with the instant at which the pass was *begun*; or `unavailable` with why. A listing that failed, was cut, or said
 *               "error:" beside rc 0 is never read as an empty one.
 * Keeps         all listings of a pass run at the same time, so that it is as near to one moment as Slurm lets it be.
 *               Rows whose text is as before are the same objects, and so is a listing of which all are.
 * Bound         `commandLimitMs` for each command; longer than slurmctld's own MessageTimeout.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Seen } from "@reprise/core/nouns.ts";
import type { Chance, Log } from "@reprise/runtime/life.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { KnownRows } from "../known-rows.ts";
import { parseSettings } from "../parse-config.ts";
import { nodeFields, parseNodes } from "../parse-nodes.ts";
import { parseReservations, type ReservationsOf } from "../parse-reservations.ts";
import { excludedFields, parseExcluded, parseSqueue } from "../parse-squeue.ts";
import { readFailure } from "../parse-stderr.ts";
import { createRestfulLook, type Outline, type Whole } from "../rest.ts";
import type { Pass, Slurm } from "../slurm.ts";
import {
  type Column,
  columns as allColumns,
  outlineColumns,
  outlineOf,
  shortFormat,
  splitRows,
  squeueFormat,
  unknownColumns,
  withoutUnknown,
} from "../squeue-columns.ts";
import type { Ran, Runner } from "./run.ts";

export interface LookDeps {
  readonly run: Runner;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly env: Readonly<Record<string, string>>;
  readonly cluster: string;
}

const jobRows = ["-a", "-h", "-r", "-t", "all", "--noconvert"];

export function createLook(deps: LookDeps): Slurm["look"] {
  const { run, clock, chance, log, env, cluster } = deps;
  let columns: readonly Column[] = allColumns;
  const known = new KnownRows();
  /** As they were shown last. A site may show them to nobody but its administrators (PrivateData): that stops no recovery. */
  let held: { readonly of?: ReservationsOf; readonly text?: string; readonly isTold: boolean } = { isTold: false };
  const read = (program: string, args: readonly string[]) =>
    run(program, args, { limitMs: limits.commandLimitMs, env });

  /** Drops what this squeue does not know, until a pass fails. */
  const narrow = (jobs: Ran): { why: string } | undefined => {
    const unknown = unknownColumns(jobs.stderr);
    const left = withoutUnknown([...unknown, ...allColumns.filter((column) => !columns.includes(column))]);
    if (left.kind === "missing")
      return { why: `squeue has no column ${left.column}, without which no job can be read` };
    if (left.columns.length === columns.length)
      return { why: `squeue says that it does not know ${unknown.join(", ")}, which was not asked` };
    columns = left.columns;
    log.info({ columns: unknown }, "this squeue does not know all columns; they are left out");
    return undefined;
  };

  const hold = (reservations: Ran) => {
    const failure = readFailure(reservations);
    if (failure === undefined && reservations.stdout === held.text) return held.of; // As they were: mostly.
    const of = failure === undefined ? parseReservations(reservations.stdout) : undefined;
    if (of !== undefined) held = { of, text: reservations.stdout, isTold: false };
    else if (!held.isTold) {
      log.info({ why: failure ?? "of another shape" }, "reservations cannot be read; they stay as they were known");
      held = { ...held, isTold: true };
    }
    return held.of;
  };

  const newMark = () => chance.uuid().replaceAll("-", "").slice(0, 8);

  const pass = async (): Promise<Whole | { readonly why: string }> => {
    const mark = newMark();
    const hasExcluded = columns.includes("ExcNodes");
    const [jobs, nodes, config, reservations, excluded] = await Promise.all([
      read("squeue", [...jobRows, "-O", squeueFormat(columns, mark)]),
      read("sinfo", ["-a", "-N", "-h", "-o", shortFormat(nodeFields, mark)]),
      read("scontrol", ["show", "config"]),
      read("scontrol", ["show", "reservation", "-o"]),
      hasExcluded ? undefined : read("squeue", [...jobRows, "-o", shortFormat(excludedFields, mark)]),
    ]);
    if (!jobs.timedOut && unknownColumns(jobs.stderr).length > 0) return narrow(jobs) ?? pass();
    for (const ran of [jobs, nodes, ...(excluded === undefined ? [] : [excluded])]) {
      const why = readFailure(ran);
      if (why !== undefined) return { why };
    }
    const nodeTable = parseNodes(nodes.stdout, mark, hold(reservations));
    if (nodeTable === undefined) return { why: "sinfo listed no node, or was cut" };
    const excludedOf = excluded === undefined ? undefined : parseExcluded(excluded.stdout, mark);
    if (excluded !== undefined && excludedOf === undefined) return { why: "the listing of the excluded nodes was cut" };
    const listing = parseSqueue(jobs.stdout, columns, mark, excludedOf, known);
    if (listing.kind === "broken") return { why: listing.why };
    const { jobs: listed, unreadable, outline } = listing;
    return { pass: { cluster, jobs: listed, nodes: nodeTable, unreadable, ...settingsIn(config) }, outline };
  };

  const whole = async (): Promise<Seen<Whole>> => {
    const at = clock.now();
    const seen = await pass();
    if ("why" in seen) columns = allColumns; // Slurm, and its programs with it, may be another release when it answers again.
    return "why" in seen ? { kind: "unavailable", why: seen.why, at } : { kind: "seen", value: seen, at };
  };

  const outline = async (): Promise<Seen<Outline>> => {
    const [at, mark] = [clock.now(), newMark()];
    const ran = await read("squeue", [...jobRows, "-O", squeueFormat(outlineColumns, mark)]);
    const rows = splitRows(ran.stdout, mark);
    const why = readFailure(ran) ?? (rows === undefined ? "the outline of the jobs was cut" : undefined);
    if (why !== undefined) columns = allColumns;
    return why === undefined
      ? { kind: "seen", value: outlineOf(rows ?? [], outlineColumns), at }
      : { kind: "unavailable", why, at };
  };

  return createRestfulLook({ whole, outline, clock });
}

/** The jobs count without it: a watchdog must let go also where this cannot be read. */
function settingsIn(ran: Ran): Pick<Pass, "settings"> {
  const settings = readFailure(ran) === undefined ? parseSettings(ran.stdout) : undefined;
  return settings === undefined ? {} : { settings };
}
