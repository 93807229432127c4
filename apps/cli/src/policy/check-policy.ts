/**
 * check-policy: what would hold for a job with this comment, or with this batch script, before anybody submits it.
 *
 * Takes   the text, and what the server would know: its environment name and the site's policy.
 * Gives   the effective policy with the origin of each value; or why the job would not be covered, and where.
 * Pure
 * Keeps   it reads what the server reads, with the same functions: what is said here is what will happen.
 */
import { limits } from "@reprise/core/limits.ts";
import type { JsonValue, Policy } from "@reprise/core/nouns.ts";
import { type PolicyServer, readSources } from "@reprise/core/policy/coverage-of.ts";
import { effectivePolicy } from "@reprise/core/policy/effective-policy.ts";
import { readSbatchScript, type SbatchScript, type SbatchText } from "@reprise/core/policy/sbatch-script.ts";
import { type Need, needsOf } from "./needs.ts";

export interface Checked {
  /** What was read: a comment, or a script with one. */
  readonly text: string;
  /** For errors: a path, or `the comment`. */
  readonly name: string;
  readonly isScript: boolean;
  /** Beats the script's own. */
  readonly partition?: string;
}

export interface PolicyRow {
  readonly key: string;
  readonly value: JsonValue;
  readonly origin: string;
}

/** A place in the text that was checked. */
export interface Place {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

interface Common {
  /** Of the comment, as Slurm counts; undefined where there is none. */
  readonly bytes: number | undefined;
  readonly partition: string | undefined;
  readonly warnings: readonly string[];
}

export type PolicyCheck =
  | (Common & {
      readonly kind: "covered";
      readonly policy: readonly PolicyRow[];
      readonly needs: readonly Need[];
    })
  | (Common & {
      readonly kind: "not-covered";
      readonly because: string;
      /** In the comment: 0-based, in UTF-16 units. */
      readonly position: number | undefined;
      readonly place: Place | undefined;
    });

export function checkPolicy(given: Checked, server: PolicyServer): PolicyCheck {
  const script = given.isScript ? readSbatchScript(given.text) : undefined;
  const comment = script === undefined ? commentAsGiven(given.text) : script.comment;
  const partition = given.partition ?? script?.partition;
  const bytes = comment === undefined ? undefined : bytesOf(comment.text);
  const common = { bytes, partition, warnings: script === undefined ? [] : warningsOf(script) };
  const refused = (because: string, position: number | undefined, offset: number | undefined): PolicyCheck => ({
    kind: "not-covered",
    ...common,
    because,
    position,
    place: offset === undefined ? undefined : placeOf(given.text, offset),
  });

  if (script?.problem !== undefined) return refused(script.problem.because, undefined, script.problem.offset);
  if (comment === undefined) return refused(noComment, undefined, undefined);
  const sources = { comment: comment.text, partition };
  const { coverage } = readSources(sources, server);
  if (coverage.kind === "not-covered") {
    const { because, position } = coverage;
    return refused(because, position, position === undefined ? undefined : comment.offsets[position]);
  }
  if (bytes !== undefined && bytes > limits.commentBytesMax) {
    const position = charsIn(comment.text, limits.commentBytesMax);
    const because = `The comment has ${bytes} bytes, and Slurm refuses more than ${limits.commentBytesMax}.`;
    return refused(because, position, comment.offsets[position]);
  }
  return {
    kind: "covered",
    ...common,
    warnings: [...coverage.warnings, ...common.warnings, ...togetherWith(coverage.policy, script)],
    policy: rowsOf(effectivePolicy(sources, server)),
    needs: needsOf(coverage.policy),
  };
}

const noComment =
  "The script has no `#SBATCH --comment=…`, and so no recovery policy: without one on sbatch's command line the job is observed only.";

/** As it would arrive in Slurm: without the line end that a file has. */
function commentAsGiven(text: string): SbatchText {
  const comment = text.replace(/\r?\n$/, "");
  return { text: comment, offsets: Array.from({ length: comment.length + 1 }, (_, index) => index) };
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** How many characters fit into so many bytes. */
function charsIn(text: string, bytes: number): number {
  let used = 0;
  let chars = 0;
  for (const character of text) {
    used += bytesOf(character);
    if (used > bytes) break;
    chars += character.length;
  }
  return chars;
}

function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset).split("\n");
  const line = before.length;
  return { line, column: (before.at(-1) ?? "").length + 1, text: text.split("\n")[line - 1] ?? "" };
}

function rowsOf(policy: ReturnType<typeof effectivePolicy>): readonly PolicyRow[] {
  return Object.entries(policy ?? {}).map(([key, row]) => {
    const { value, origin } = row as { readonly value: JsonValue; readonly origin: string };
    return { key, value, origin };
  });
}

function warningsOf({ unreadLines, dependency, killsOnInvalidDependency }: SbatchScript): readonly string[] {
  const unread = unreadLines.map(
    (line) => `The #SBATCH in line ${line} stands behind the first command: sbatch does not read it.`,
  );
  if (dependency === undefined || dependency === "singleton") return unread;
  const then = killsOnInvalidDependency
    ? ", and --kill-on-invalid-dep cancels this job then, although the other one may be restarted and complete"
    : "";
  const own = `--dependency=${dependency}: Slurm decides it as soon as the other job fails, before anybody can restart it${then}. Use dag_dependencies for jobs that may be restarted.`;
  return [...unread, own];
}

/** What does not go together. */
function togetherWith(policy: Policy, script: SbatchScript | undefined): readonly string[] {
  const warnings: string[] = [];
  if (policy.autoResumeMode === "off")
    warnings.push('auto_resume_mode is "off": the job is observed and never touched.');
  if (policy.autoResumeMode === "singleton_dependency" && script?.dependency?.includes("singleton") !== true)
    warnings.push(
      'auto_resume_mode "singleton_dependency" needs --dependency=singleton on two or more jobs of one name, the later ones with --hold.',
    );
  if (script === undefined) return warnings;
  if (policy.autoResumeMode === "requeue" && script.requeue === false)
    warnings.push("--no-requeue: Slurm refuses to requeue this job, so no restart can be carried out.");
  if (policy.autoResumeMode === "requeue" && script.requeue === undefined)
    warnings.push("Without --requeue it depends on the site's JobRequeue whether Slurm may requeue this job.");
  if (policy.dagDependencies.length > 0 && !script.isHeld)
    warnings.push("dag_dependencies without --hold: Slurm starts this job at once, whatever the others do.");
  return warnings;
}
