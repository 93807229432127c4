/**
 * Goal    invariant 7: a policy that cannot be read is never covered, whatever Slurm, a shell, an editor or an author did to it.
 * Method  random changes of good comments; what is still covered must satisfy a much simpler check, written a second time.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commentOf, defaultPolicy, fullPolicy } from "./policy.example.ts";
import { parseRecoveryComment } from "./recovery-comment.ts";

describe("no broken policy is ever covered", () => {
  const server = { environment: "prod" };
  /** What Slurm, a shell, an editor or an author may do to a comment. */
  const edit = fc.tuple(
    fc.nat(),
    fc.nat(4),
    fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom("", '"', "{", "}", ",", "null", "NaN", "\\", "-1")),
  );

  test("any change of a good comment is covered only if an independent look finds every value right", () => {
    let stillCovered = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(
          commentOf(fullPolicy),
          commentOf(defaultPolicy),
          '{"recovery":{"auto_resume_mode":"requeue","charge":"all"}}',
        ),
        fc.array(edit, { minLength: 1, maxLength: 3 }),
        (comment, edits) => {
          const changed = edits.reduce((text, [place, cut, put]) => {
            const at = place % (text.length + 1);
            return text.slice(0, at) + put + text.slice(at + cut);
          }, comment);
          const coverage = parseRecoveryComment(changed, server);
          if (coverage.kind === "covered") {
            stillCovered++;
            expect(isSound(changed), changed).toBe(true);
          } else {
            expect(coverage.because).toMatch(/[.?]$/);
            expect(coverage.position ?? 0).toBeLessThanOrEqual(changed.length);
          }
        },
      ),
      { numRuns: 5000 },
    );
    expect(stillCovered).toBeGreaterThan(50); // Else nothing was tested.
  });

  test("a comment cut anywhere is not covered", () => {
    const comment = commentOf(fullPolicy);
    for (let length = 0; length < comment.length; length++) {
      expect(parseRecoveryComment(comment.slice(0, length), server).kind, `cut at ${length}`).toBe("not-covered");
    }
  });

  test("any value in the place of a right one is covered only if it is right too", () => {
    const keys = Object.keys((JSON.parse(commentOf(fullPolicy)) as { recovery: object }).recovery);
    fc.assert(
      fc.property(fc.constantFrom(...keys), fc.jsonValue(), (key, value) => {
        const comment = JSON.parse(commentOf(fullPolicy)) as { recovery: Record<string, unknown> };
        comment.recovery[key] = value;
        const text = JSON.stringify(comment);
        if (parseRecoveryComment(text, server).kind === "covered") expect(isSound(text), text).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("any text at all gets an answer", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(parseRecoveryComment(text).kind).toBe("not-covered");
      }),
    );
  });
});

/** The types and ranges of design §5, said in another way; JSON.parse for the syntax. */
function isSound(comment: string): boolean {
  const whole = JSON.parse(comment) as Record<string, unknown>;
  const { recovery = whole["APS"] } = whole;
  const check: Record<string, (value: unknown) => boolean> = {
    auto_resume_mode: (v) => v === "off" || v === "requeue" || v === "singleton_dependency",
    workflow_id: isShortText,
    workflow_name: isShortText,
    max_requeue_times: (v) => isWhole(v, 0, 1000),
    max_failures_without_progress: (v) => isWhole(v, 1, 100),
    max_recovery_hours: isPositive,
    charge: (v) => v === "all" || v === "workload",
    requeue_on_completion: isBoolean,
    anomaly_detection: (v) => isObject(v) && hold(v, detectionChecks),
    log_paths: (v) => Array.isArray(v) && v.length > 0 && v.every((path) => typeof path === "string" && path !== ""),
    log_file_paths_shared_across_attempts: isBoolean,
    dag_dependencies: (v) =>
      Array.isArray(v) && v.every((parent) => isObject(parent) && ("job_id" in parent || "job_name" in parent)),
    dag_action: (v) => v === "terminate_dependents" || v === "keep_held",
    environment: (v) => v === "prod",
    exclude_nodes: areNodes,
    include_nodes: areNodes,
    enable_nvrx: isBoolean,
  };
  return isObject(recovery) && "auto_resume_mode" in recovery && hold(recovery, check);
}
const hold = (object: object, checks: Record<string, (value: unknown) => boolean>): boolean =>
  Object.entries(object).every(([key, value]) => !Object.hasOwn(checks, key) || checks[key]?.(value) === true);
const isObject = (v: unknown): v is object => typeof v === "object" && v !== null && !Array.isArray(v);
const isWhole = (v: unknown, min: number, max: number): boolean =>
  typeof v === "number" && v % 1 === 0 && v >= min && v <= max;
const isBoolean = (v: unknown): boolean => typeof v === "boolean";
const isPositive = (v: unknown): boolean => typeof v === "number" && v > 0 && v < Infinity;
const isShortText = (v: unknown): boolean => typeof v === "string" && v.length > 0 && v.length <= 256;
const areNodes = (v: unknown): boolean =>
  Array.isArray(v) && v.every((list) => typeof list === "string" && /^[^\s]+$/.test(list));
const detectionChecks = {
  log_based_crash: isBoolean,
  log_based_timeout: isBoolean,
  log_based_timeout_pretraining: isPositive,
  log_based_timeout_trainingloop: isPositive,
  slowdown: isBoolean,
};
