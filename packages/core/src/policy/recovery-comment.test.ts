/**
 * Goal    a comment is read exactly as it was meant, or the job is not covered and its author sees which place is wrong.
 * Method  tables: every key, every mistake with its place; what is written reads back, as a property. Random changes of good
 *         comments are in `no-broken-policy.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Coverage, Policy } from "../nouns.ts";
import { anyPolicy, commentOf, defaultPolicy, fullPolicy } from "./policy.example.ts";
import { parseRecoveryComment } from "./recovery-comment.ts";

const covered = (policy: Policy, warnings: string[] = []): Coverage => ({ kind: "covered", policy, warnings });
const requeue = (more: string) => `{"recovery":{"auto_resume_mode":"requeue",${more}}}`;

describe("a policy", () => {
  test("needs only its mode: all else has the documented default", () => {
    expect(parseRecoveryComment('{"recovery": {"auto_resume_mode": "requeue"}}')).toEqual(
      covered({
        autoResumeMode: "requeue",
        maxRequeueTimes: 3,
        maxFailuresWithoutProgress: 3,
        charge: "all",
        requeueOnCompletion: false,
        anomalyDetection: {
          logBasedCrash: true,
          logBasedTimeout: true,
          pretrainingTimeoutSeconds: 3600,
          trainingLoopTimeoutSeconds: 1800,
          slowdown: false,
        },
        dagDependencies: [],
        dagAction: "terminate_dependents",
        excludeNodes: [],
        includeNodes: [],
        enableNvrx: false,
      }),
    );
  });

  test("may give every key", () => {
    expect(parseRecoveryComment(commentOf(fullPolicy), { environment: "prod" })).toEqual(covered(fullPolicy));
    expect(commentOf(fullPolicy).length).toBeLessThan(1024);
  });

  test("reads back as it was written, whatever it says and whatever stands beside it", () => {
    fc.assert(
      fc.property(
        anyPolicy,
        fc.dictionary(
          fc.string().filter((key) => !/^(recovery|APS)$/.test(key)),
          fc.jsonValue(),
        ),
        (policy, beside) => {
          const coverage = parseRecoveryComment(commentOf(policy, beside as {}));
          expect(coverage).toMatchObject({ kind: "covered", policy });
        },
      ),
    );
  });

  test("off is a policy too, so that the record says off", () => {
    expect(parseRecoveryComment('{"recovery": {"auto_resume_mode": "off"}}')).toEqual(
      covered({ ...defaultPolicy, autoResumeMode: "off" }),
    );
  });
});

// biome-ignore format: a table
const accepted: [what: string, comment: string, change: Partial<Policy>, warnings: string[]][] = [
  ["the predecessor's key", '{"APS":{"auto_resume_mode":"requeue"}}', {}, []],
  ["both keys", '{"APS":{"auto_resume_mode":"off"},"recovery":{"auto_resume_mode":"requeue"}}', {}, ["APS is ignored, because recovery is given too."]],
  ["other tools' keys", '{"team":[1,{"recovery":2}],"recovery":{"auto_resume_mode":"requeue"},"x":null}', {}, []],
  ["other tools' keys given twice", '{"x":1,"x":2,"recovery":{"auto_resume_mode":"requeue"}}', {}, []],
  ["a key with escapes in it", '{"r\\u0065covery":{"auto_resume_mode":"requeue"}}', {}, []],
  ["space around it", '\n {"recovery":{"auto_resume_mode":"requeue"}}\n', {}, []],
  ["an unknown key", requeue('"max_requeue_tmes":9'), {}, ['recovery.max_requeue_tmes (position 42) is not a known key (did you mean "max_requeue_times"?), and is ignored.']],
  ["an unknown key like no other", requeue('"x":9'), {}, ["recovery.x (position 42) is not a known key, and is ignored."]],
  ["an unknown key of the detectors", requeue('"anomaly_detection":{"slowdwn":true}'), {}, ['recovery.anomaly_detection.slowdwn (position 63) is not a known key (did you mean "slowdown"?), and is ignored.']],
  ["the wire's names", requeue('"anomaly_detection_config":{"log_based_crash_enabled":false}'), { anomalyDetection: { ...defaultPolicy.anomalyDetection, logBasedCrash: false } }, []],
  ["no restart at all", requeue('"max_requeue_times":0'), { maxRequeueTimes: 0 }, []],
  ["a whole number with a point", requeue('"max_requeue_times":1e1'), { maxRequeueTimes: 10 }, []],
  ["a host list", requeue('"exclude_nodes":["n[1-3,7]","n2","a"]'), { excludeNodes: ["n1", "n2", "n3", "n7", "a"] }, []],
  ["no nodes", requeue('"exclude_nodes":[]'), {}, []],
  ["a node wanted and not wanted", requeue('"exclude_nodes":["n1"],"include_nodes":["n[1-2]"]'), { excludeNodes: ["n1"], includeNodes: ["n1", "n2"] }, ["recovery.include_nodes and exclude_nodes both name n1."]],
  ["a parent's ID as a number", requeue('"dag_dependencies":[{"job_id":12345}]'), { dagDependencies: [{ jobId: "12345", trigger: "on_success" }] }, []],
  ["a parent's ID and name", requeue('"dag_dependencies":[{"job_id":"1","job_name":"a"}]'), { dagDependencies: [{ jobId: "1", trigger: "on_success" }] }, ["recovery.dag_dependencies[0].job_name is ignored, because the job ID is given too."]],
  ["a pattern we do not know", requeue('"log_paths":["%j-%q%%.log"]'), { logPaths: ["%j-%q%%.log"] }, ["recovery.log_paths[0] has %q, which is not one of %j %x %A %a %t %n %N %%."]],
];

test.each(accepted)("is understood: %s", (_what, comment, change, warnings) => {
  expect(parseRecoveryComment(comment)).toEqual(covered({ ...defaultPolicy, ...change }, warnings));
});

// The caret stands before the place that is pointed at, and is not part of the comment.
// biome-ignore format: a table
const refused: [comment: string, because: string][] = [
  // No policy.
  ["", "The job has no comment, and so no recovery policy: it is observed only."],
  ["  \n", "The job has no comment, and so no recovery policy: it is observed only."],
  ["my run", "The comment is no recovery policy (not a JSON object): the job is observed only."],
  ["disaster recovery test", "The comment is no recovery policy (not a JSON object): the job is observed only."],
  ["[1]", "The comment is no recovery policy (not a JSON object): the job is observed only."],
  ['{"team":"x"}', 'The comment has no "recovery" key, and so no recovery policy: the job is observed only.'],
  ["{}", 'The comment has no "recovery" key, and so no recovery policy: the job is observed only.'],
  // Meant as one, but not JSON.
  ['{^"Recovery":{"auto_resume_mode":"requeue"}}', 'The comment has no "recovery" key, and so no recovery policy: the job is observed only. It has "Recovery": did you mean "recovery"?'],
  ["^recovery: {auto_resume_mode: requeue}", 'The comment seems meant as a recovery policy, but is not a JSON object: expected "{" at its beginning.'],
  [' ^"recovery":{"auto_resume_mode":"requeue"}', 'The comment seems meant as a recovery policy, but is not a JSON object: expected "{" at its beginning.'],
  ["{^recovery:{auto_resume_mode:requeue}}", 'The comment is not valid JSON: expected a key in double quotes, found "r".'],
  ['{"recovery":{"auto_resume_mode":"requeue",^}}', 'The comment is not valid JSON: expected a key in double quotes, found "}".'],
  [requeue('"enable_nvrx":^True'), 'The comment is not valid JSON: expected a value, found "T".'],
  [requeue('"max_recovery_hours":^NaN'), 'The comment is not valid JSON: expected a value, found "N".'],
  ['{"recovery":{"auto_resume_mode":"requeue"}} ^x', 'The comment is not valid JSON: expected the end, found "x".'],
  ['{"recovery":{"auto_resume_mode":"reque^', `The comment is not valid JSON: expected "\\"", found the end. It ends after 38 bytes and seems to have been cut (Slurm's limit is 1024).`],
  ['{"recovery":{"auto_resume_mode":"requeue"}^', `The comment is not valid JSON: expected "," or "}", found the end. It ends after 42 bytes and seems to have been cut (Slurm's limit is 1024).`],
  // The object.
  ['{"recovery":^true}', "recovery is true: expected an object."],
  ['{"recovery":^null}', "recovery is null: expected an object."],
  ['{"recovery":^"requeue"}', 'recovery is "requeue": expected an object.'],
  ['{"APS":^[]}', "APS is []: expected an object."],
  ['{"recovery":{"auto_resume_mode":"requeue"},^"recovery":{"auto_resume_mode":"off"}}', "recovery is given twice."],
  ['{"recovery":^7,"APS":{"auto_resume_mode":"requeue"}}', "recovery is 7: expected an object."],
  // The mode.
  ['{"recovery":^{}}', "recovery.auto_resume_mode is missing: without it no job is restarted."],
  ['{"recovery":^{"max_requeue_times":3}}', "recovery.auto_resume_mode is missing: without it no job is restarted."],
  ['{"recovery":{^"auto_resume":"requeue"}}', 'recovery.auto_resume_mode is missing: without it no job is restarted. auto_resume (position 13) is not a known key (did you mean "auto_resume_mode"?).'],
  ['{"recovery":{"auto_resume_mode":^"Requeue"}}', 'recovery.auto_resume_mode is "Requeue": expected one of "off", "requeue", "singleton_dependency" (did you mean "requeue"?).'],
  ['{"recovery":{"auto_resume_mode":^"UNSPECIFIED"}}', 'recovery.auto_resume_mode is "UNSPECIFIED": expected one of "off", "requeue", "singleton_dependency".'],
  ['{"recovery":{"auto_resume_mode":^""}}', 'recovery.auto_resume_mode is "": expected one of "off", "requeue", "singleton_dependency".'],
  ['{"recovery":{"auto_resume_mode":^null}}', 'recovery.auto_resume_mode is null: expected one of "off", "requeue", "singleton_dependency".'],
  ['{"recovery":{"auto_resume_mode":^true}}', 'recovery.auto_resume_mode is true: expected one of "off", "requeue", "singleton_dependency".'],
  [requeue('^"auto_resume_mode":"requeue"'), "recovery.auto_resume_mode is given twice."],
  // Every other key.
  [requeue('"workflow_id":^""'), 'recovery.workflow_id is "": expected a text of 1 to 256 characters.'],
  [requeue('"workflow_id":^7'), "recovery.workflow_id is 7: expected a text of 1 to 256 characters."],
  [requeue(`"workflow_name":^"${"x".repeat(257)}"`), `recovery.workflow_name is "${"x".repeat(79)}…: expected a text of 1 to 256 characters.`],
  [requeue('"max_requeue_times":^-1'), "recovery.max_requeue_times is -1: expected an integer from 0 to 1000."],
  [requeue('"max_requeue_times":^1001'), "recovery.max_requeue_times is 1001: expected an integer from 0 to 1000."],
  [requeue('"max_requeue_times":^1.5'), "recovery.max_requeue_times is 1.5: expected an integer from 0 to 1000."],
  [requeue('"max_requeue_times":^1e999'), "recovery.max_requeue_times is Infinity: expected an integer from 0 to 1000."],
  [requeue('"max_requeue_times": ^"3"'), 'recovery.max_requeue_times is "3": expected an integer from 0 to 1000.'],
  [requeue('"max_failures_without_progress":^0'), "recovery.max_failures_without_progress is 0: expected an integer from 1 to 100."],
  [requeue('"max_failures_without_progress":^101'), "recovery.max_failures_without_progress is 101: expected an integer from 1 to 100."],
  [requeue('"max_recovery_hours":^0'), "recovery.max_recovery_hours is 0: expected a number above 0."],
  [requeue('"max_recovery_hours":^1e400'), "recovery.max_recovery_hours is Infinity: expected a number above 0."],
  [requeue('"charge":^"none"'), 'recovery.charge is "none": expected one of "all", "workload".'],
  [requeue('"requeue_on_completion":^1'), "recovery.requeue_on_completion is 1: expected true or false."],
  [requeue('"anomaly_detection":^true'), "recovery.anomaly_detection is true: expected an object."],
  [requeue('"anomaly_detection":{"log_based_crash":^"yes"}'), 'recovery.anomaly_detection.log_based_crash is "yes": expected true or false.'],
  [requeue('"anomaly_detection":{"log_based_timeout":^0}'), "recovery.anomaly_detection.log_based_timeout is 0: expected true or false."],
  [requeue('"anomaly_detection":{"log_based_timeout_pretraining":^0}'), "recovery.anomaly_detection.log_based_timeout_pretraining is 0: expected a number above 0."],
  [requeue('"anomaly_detection":{"log_based_timeout_trainingloop":^"30m"}'), 'recovery.anomaly_detection.log_based_timeout_trainingloop is "30m": expected a number above 0.'],
  [requeue('"anomaly_detection":{"slowdown":^null}'), "recovery.anomaly_detection.slowdown is null: expected true or false."],
  [requeue('"log_paths":^"a.log"'), 'recovery.log_paths is "a.log": expected a list of paths.'],
  [requeue('"log_paths":^[]'), "recovery.log_paths is []: expected at least one path."],
  [requeue('"log_paths":["a",^""]'), 'recovery.log_paths[1] is "": expected a path.'],
  [requeue('"log_file_paths_shared_across_attempts":^"no"'), 'recovery.log_file_paths_shared_across_attempts is "no": expected true or false.'],
  [requeue('"dag_dependencies":^{"job_id":"1"}'), 'recovery.dag_dependencies is {"job_id":"1"}: expected a list of dependencies such as [{"job_id": "12345"}].'],
  [requeue('"dag_dependencies":[^"1"]'), 'recovery.dag_dependencies[0] is "1": expected an object with "job_id" or "job_name".'],
  [requeue('"dag_dependencies":[^{"trigger":"on_start"}]'), 'recovery.dag_dependencies[0] is {"trigger":"on_start"}: expected an object with "job_id" or "job_name".'],
  [requeue('"dag_dependencies":[{"job_id":^1.5}]'), "recovery.dag_dependencies[0].job_id is 1.5: expected a text of 1 to 256 characters."],
  [requeue('"dag_dependencies":[{"job_id":"1","trigger":^"afterok"}]'), 'recovery.dag_dependencies[0].trigger is "afterok": expected one of "on_success", "on_failure", "on_completion", "on_start".'],
  [requeue('"dag_action":^"keep-held"'), 'recovery.dag_action is "keep-held": expected one of "terminate_dependents", "keep_held" (did you mean "keep_held"?).'],
  [requeue('"environment":^[]'), "recovery.environment is []: expected a text of 1 to 256 characters."],
  [requeue('"environment":^"prod"'), 'recovery.environment is "prod" and this server\'s is "staging": the job is observed only.'],
  [requeue('"exclude_nodes":^"n1"'), 'recovery.exclude_nodes is "n1": expected a list of node names such as ["n1", "n[3-5]"].'],
  [requeue('"exclude_nodes":["n1",^"n[3-"]'), 'recovery.exclude_nodes[1] is "n[3-": expected a node name or a list such as "n[3-5]", of at most 20000 nodes.'],
  [requeue('"include_nodes":[^""]'), 'recovery.include_nodes[0] is "": expected a node name or a list such as "n[3-5]", of at most 20000 nodes.'],
  [requeue('"include_nodes":^["a[1-15000]","b[1-15000]"]'), 'recovery.include_nodes is ["a[1-15000]","b[1-15000]"]: expected at most 20000 nodes.'],
  [requeue('"enable_nvrx":^"true"'), 'recovery.enable_nvrx is "true": expected true or false.'],
  // Several at once: all are named, the first is pointed at.
  [requeue('"enable_nvrx":^2,"charge":1'), 'recovery.enable_nvrx is 2: expected true or false. recovery.charge is 1: expected one of "all", "workload".'],
  [requeue('"charge":^1,"enable_nvrx":2'), 'recovery.charge is 1: expected one of "all", "workload". recovery.enable_nvrx is 2: expected true or false.'],
];

test.each(refused)("is not covered: %s", (marked, because) => {
  const position = marked.indexOf("^");
  const coverage = parseRecoveryComment(marked.replace("^", ""), { environment: "staging" });
  expect(coverage).toEqual({ kind: "not-covered", because, ...(position >= 0 ? { position } : {}) });
});

test("a policy for an environment is not for a server that has none", () => {
  const coverage = parseRecoveryComment(requeue('"environment":"prod"'));
  expect(coverage).toMatchObject({
    kind: "not-covered",
    because: expect.stringContaining("this server has no environment name") as string,
  });
  expect(parseRecoveryComment(requeue('"environment":"prod"'), { environment: "prod" }).kind).toBe("covered");
});
