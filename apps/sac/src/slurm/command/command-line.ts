/**
 * command-line: a Command as the program and the arguments that carry it out.
 *
 * Takes    a Command and the ID of the one job (`123`) or task (`95_1`) it is about.
 * Pure
 * Keeps    exactly one job is addressed: scontrol reads a list, a range or a keyword in the same place, and a bare array ID
 *          would mean all of its tasks.
 * Fails    a `Refusal` `invalid`: whatever is not plainly one job, a node name, or a single value is not handed to scontrol.
 * Source   man scontrol; each line was tried on 22.05.8 and 25.11.7.
 */
import { compressHostlist, isNodeName } from "@reprise/core/fact/hostlist.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Command, Expected } from "../slurm.ts";

export interface CommandLine {
  readonly program: "scontrol" | "scancel";
  readonly args: readonly string[];
}

export type Addressee = Pick<Expected, "jobId" | "isHetLeader">;

export function commandLine(command: Command, { jobId, isHetLeader }: Addressee): CommandLine {
  if (!/^\d+(_\d+)?$/.test(jobId))
    throw new Refusal("invalid", `jobId is ${JSON.stringify(jobId)}, expected 123 or 95_1`);
  const scontrol = (...args: string[]): CommandLine => ({ program: "scontrol", args });
  // `12+0` is the leader alone; `12` all components.
  const update = (...changes: string[]) =>
    scontrol("update", `JobId=${jobId}${isHetLeader === true ? "+0" : ""}`, ...changes);
  switch (command.kind) {
    case "requeue-hold":
      // `Incomplete`: slurmctld itself skips a job that has ended meanwhile.
      return command.isRunning ? scontrol("requeuehold", "Incomplete", jobId) : scontrol("requeuehold", jobId);
    case "update-constraints":
      return update(
        `ExcNodeList=${hostlist(command.exclude)}`,
        ...comment(command.adminComment),
        ...(command.dependency === undefined ? [] : [`Dependency=${dependency(command.dependency)}`]),
      );
    case "repair-dependency":
      return update(`Dependency=${dependency(command.dependency)}`);
    case "mark":
      return update(`AdminComment=${command.adminComment}`);
    case "release":
      return scontrol("release", jobId);
    case "set-start":
      return scontrol(
        "update",
        `JobId=${jobId}`,
        `StartTime=now+${wholeSeconds(command.inSeconds)}`,
        ...comment(command.adminComment),
      );
    case "cancel":
      return { program: "scancel", args: [jobId] };
  }
}

const comment = (adminComment: string | undefined) =>
  adminComment === undefined ? [] : [`AdminComment=${adminComment}`];

function hostlist(names: readonly string[]): string {
  const bad = names.find((name) => !isNodeName(name));
  if (bad !== undefined) throw new Refusal("invalid", `exclude has ${JSON.stringify(bad)}, expected a node name`);
  return compressHostlist(names);
}

function dependency(text: string): string {
  if (!/^[A-Za-z0-9_:+,?()]*$/.test(text))
    throw new Refusal("invalid", `dependency is ${JSON.stringify(text)}, expected e.g. singleton`);
  return text;
}

function wholeSeconds(seconds: number): number {
  if (!Number.isSafeInteger(seconds) || seconds < 0)
    throw new Refusal("invalid", `inSeconds is ${seconds}, expected whole seconds`);
  return seconds;
}
