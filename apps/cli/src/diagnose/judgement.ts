/**
 * judgement: a decision in the few words of a case's `expect`, and whether it is the expected one.
 *
 * Pure, total
 * Source      testdata/cases/README.md of the watcher
 */
import type { Decision } from "@reprise/core/decide/decision.ts";
import type { Expectation } from "@reprise/watcher/cases/case-file.ts";

/** One JSON line of `reprise diagnose CASE.yaml --json`; `null`: it does not apply. */
export interface Judgement {
  readonly id: string;
  readonly kind: string;
  readonly domain: string;
  readonly next: "restart" | "terminate" | "none";
  /** Nodes that the next attempt, whenever it comes, must avoid. */
  readonly exclude: readonly string[];
  /** Counts against `max_requeue_times` under `charge: workload`. */
  readonly charged: boolean | null;
  /** The whole root line, or Slurm's words where no line explains the end. */
  readonly evidence: string | null;
  readonly because: string;
}

export function judgementOf(id: string, decision: Decision): Judgement {
  if (decision.kind === "none") {
    const kind = kindOfNone[decision.because] ?? "none";
    const evidence = kind === "slowdown" ? (decision.evidence[0]?.line ?? null) : null;
    const issue = decision.issues?.[0];
    const told = issue === undefined ? {} : { domain: issue.domain, exclude: issue.nodes.toSorted() };
    return { id, kind, ...nothing, ...told, evidence, because: decision.sentence };
  }
  const issue = decision.issues[0];
  return {
    id,
    kind: issue === undefined || issue.kind === "exit" ? "crash" : issue.kind,
    domain: issue?.domain ?? "unknown",
    next: decision.desired === "TERMINATED" ? "terminate" : "restart",
    exclude: decision.exclusions.map((e) => e.node).toSorted(),
    charged: decision.charged,
    evidence: issue?.evidence[0]?.line ?? null,
    because: decision.sentence,
  };
}

const nothing = { domain: "unknown", next: "none", exclude: [], charged: null } as const;
const kindOfNone: Readonly<Record<string, string>> = {
  completed: "completed",
  teardown: "completed",
  slowdown: "slowdown",
};

/** What of a judgement is not as expected, one text each; empty: all is. */
export function differences(is: Judgement, expected: Expectation): readonly string[] {
  const wrong: string[] = [];
  const compare = (key: string, got: unknown, wanted: unknown) => {
    if (JSON.stringify(got) !== JSON.stringify(wanted))
      wrong.push(`${key} is ${JSON.stringify(got)}, expected ${JSON.stringify(wanted)}`);
  };
  compare("kind", is.kind, expected.kind);
  compare("domain", is.domain, expected.domain);
  compare("next", is.next, expected.next);
  compare("exclude", is.exclude, expected.exclude.toSorted());
  if (expected.charged !== undefined) compare("charged", is.charged, expected.charged);
  const line = is.evidence ?? "";
  if (expected.evidence !== undefined && !line.includes(expected.evidence))
    wrong.push(`evidence is ${JSON.stringify(is.evidence)}, expected a line with ${JSON.stringify(expected.evidence)}`);
  for (const not of expected.notEvidence)
    if (line.includes(not)) wrong.push(`evidence has ${JSON.stringify(not)}, which is not the root`);
  return wrong;
}
