/**
 * recovery-comment: how a job opts in: `sbatch --comment='{"recovery": {"auto_resume_mode": "requeue"}}'`.
 *
 * In the loop   SlurmJob.comment → **parseRecoveryComment** → Coverage → Situation
 * Takes         the comment as Slurm shows it. One JSON object; ours is under `recovery` (or `APS`, the predecessor's key). Other
 *               keys beside it belong to other tools.
 * Gives         a Policy with its defaults, or the reason and the place why there is none. `auto_resume_mode: "off"` is a Policy
 *               too: `decide` answers it, so that the record says *off*.
 * Pure, total
 * Keeps         a job whose policy is absent or cannot be read is not covered (invariant 7).
 * Source        design §5; docs/job-authors.md.
 */
import { limits } from "../limits.ts";
import type { Coverage } from "../nouns.ts";
import { readJson, type ObjectNode } from "./json-reader.ts";
import { nearestName } from "./nearest-name.ts";
import { show, type Dialect } from "./object-reader.ts";
import { readPolicy, type PolicyReading } from "./read-policy.ts";
import { noSiteRules, type SiteRules } from "./site-policy.ts";

export interface Server {
  /** The server's environment name. A policy that names another one is for another server. */
  readonly environment?: string | undefined;
}

export function parseRecoveryComment(comment: string, server: Server = {}): Coverage {
  return readComment(comment, server, noSiteRules).coverage;
}

export interface CommentReading extends PolicyReading {
  /** False: it is somebody's own words, or another tool's JSON, and meant as no policy at all. */
  readonly isMeantAsPolicy: boolean;
}

export function readComment(comment: string, server: Server, site: SiteRules): CommentReading {
  if (comment.trim() === "") return noPolicy("The job has no comment, and so no recovery policy: it is observed only.");
  if (!comment.trimStart().startsWith("{")) return readWords(comment);

  const reading = readJson(comment);
  if (reading.kind === "broken") return broken(brokenSentence(comment, reading.why, reading.isCut), reading.position);
  // It begins with a brace.
  return readKeys(reading.node as ObjectNode, server, site);
}

const policyKeys = ["recovery", "APS"] as const;

function readKeys(node: ObjectNode, { environment }: Server, site: SiteRules): CommentReading {
  const [ours, ...others] = policyKeys.flatMap((key) => node.members.filter((member) => member.key === key));
  if (ours === undefined) return noPolicyKey(node);
  const again = others.find(({ key }) => key === ours.key);
  if (again !== undefined) return broken(`${again.key} is given twice.`, again.at);
  const { key: path, value } = ours;
  if (value.kind !== "object") return broken(`${path} is ${show(value)}: expected an object.`, value.at);

  const warnings = others.length > 0 ? [`${others[0]?.key} is ignored, because ${path} is given too.`] : [];
  const reading = readPolicy(value, { path, dialect: commentDialect, environment, site, warnings });
  return { ...reading, isMeantAsPolicy: true };
}

function noPolicyKey(node: ObjectNode): CommentReading {
  const because = 'The comment has no "recovery" key, and so no recovery policy: the job is observed only.';
  const meant = node.members.find(({ key }) => nearestName(key, policyKeys) !== undefined);
  if (meant === undefined) return noPolicy(because);
  return broken(
    `${because} It has ${JSON.stringify(meant.key)}: did you mean "${nearestName(meant.key, policyKeys)}"?`,
    meant.at,
  );
}

/** No JSON object. Words such as "my run" are fine; a policy that lost its braces or quotes is pointed out. */
function readWords(comment: string): CommentReading {
  const looksMeant = /auto_resume_mode|\b(recovery|APS)\b\W{0,4}[:=]/i.test(comment);
  if (!looksMeant) return noPolicy("The comment is no recovery policy (not a JSON object): the job is observed only.");
  const because =
    'The comment seems meant as a recovery policy, but is not a JSON object: expected "{" at its beginning.';
  return broken(because, comment.length - comment.trimStart().length);
}

function brokenSentence(comment: string, why: string, isCut: boolean): string {
  if (!isCut) return `The comment is not valid JSON: ${why}.`;
  const bytes = new TextEncoder().encode(comment).length;
  const limit = `Slurm's limit is ${limits.commentBytesMax}`;
  return `The comment is not valid JSON: ${why}. It ends after ${bytes} bytes and seems to have been cut (${limit}).`;
}

function noPolicy(because: string): CommentReading {
  return { coverage: { kind: "not-covered", because }, ...nothingGiven, isMeantAsPolicy: false };
}

function broken(because: string, position: number): CommentReading {
  return { coverage: { kind: "not-covered", because, position }, ...nothingGiven, isMeantAsPolicy: true };
}

const nothingGiven = { given: new Set<string>(), lowered: new Set<string>() };

/** Beside our own names, those of the wire in snake_case are understood: both are documented. */
const commentAliases: ReadonlyMap<string, string> = new Map([
  ["anomaly_detection", "anomaly_detection_config"],
  ["log_based_crash", "log_based_crash_enabled"],
  ["log_based_timeout", "log_based_timeout_enabled"],
  ["log_based_timeout_pretraining", "log_based_timeout_threshold_pretraining"],
  ["log_based_timeout_trainingloop", "log_based_timeout_threshold_trainingloop"],
]);

const commentDialect: Dialect = {
  spellings: (key) => [key, ...(commentAliases.has(key) ? [commentAliases.get(key) ?? key] : [])],
  spellChoice: (_key, choice) => choice,
  isUnset: () => false,
  hasPositions: true,
};
