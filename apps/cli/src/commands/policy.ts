/**
 * policy: `policy check` says what would hold for a job before it is submitted.
 *
 * Takes   a batch script, a file with a comment, `-` for stdin, or the comment itself; and the configuration of the server, for the
 *         environment's name and the site's policy.
 * Gives   the effective policy with the origin of each value, warnings, bytes, what the detectors need; exit code 1 where the
 *         job would not be covered, with a caret under the place.
 * Keeps   asks no server and no Slurm, and changes nothing.
 */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { addConfigFlags } from "../config-flags.ts";
import { loadConfig } from "../config-load.ts";
import { serverConfig } from "../config-slices.ts";
import type { Console } from "../console.ts";
import { Failure, readable } from "../failure.ts";
import { type Checked, checkPolicy } from "../policy/check-policy.ts";
import { renderPolicyCheck, renderPolicyJson } from "../render/policy.ts";
import { viewOf } from "../render/view.ts";

interface Options {
  readonly comment?: string;
  readonly partition?: string;
  readonly json?: boolean;
}

export function define(command: Command, console: Console): void {
  const check = command
    .command("check")
    .description("what would hold for a job with this script, or with this comment")
    .exitOverride()
    .argument("[file]", "batch script, or file with a comment; - reads stdin")
    .option("--comment <text>", "the comment itself, as in sbatch --comment")
    .option("--partition <name>", "where the job would run; without it the script's own")
    .option("--json", "as one JSON object");
  addConfigFlags(check, ["environment", "policyDefaults", "policyCaps"]).action(
    (file: string | undefined, options: Options) => {
      const given = { ...read(file, options, console), ...ofPartition(options) };
      const checked = checkPolicy(given, serverConfig(loadConfig(check, console).values));
      console.out(
        options.json === true ? renderPolicyJson(checked) : renderPolicyCheck(checked, given, viewOf(console)),
      );
      if (checked.kind === "not-covered") process.exitCode = 1;
    },
  );
}

const ofPartition = ({ partition }: Options) => (partition === undefined ? {} : { partition });

function read(file: string | undefined, { comment }: Options, console: Console): Checked {
  if ((file === undefined) === (comment === undefined)) {
    const hints = ["`reprise policy check train.sbatch`, or `reprise policy check --comment '{\"recovery\": …}'`."];
    throw new Failure("one of a file and --comment is to be given", { exitCode: 2, hints });
  }
  if (comment !== undefined) return { text: comment, name: "comment", isScript: false };
  const from = file === "-" ? 0 : resolve(console.workDir, file ?? "");
  const text = readable(file ?? "", () => readFileSync(from, "utf8"));
  // A script has its interpreter in its first line: sbatch refuses one without.
  return { text, name: file === "-" ? "stdin" : (file ?? ""), isScript: text.startsWith("#!") };
}
