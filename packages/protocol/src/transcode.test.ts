/**
 * Goal    every operation of api.md §1 is reached by its documented path, and a request says in JSON what it says in
 *         protobuf; what cannot be read is refused with its field named.
 * Method  the real services; tables; fast-check for paths and percent-encoding.
 */
import { create, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AuditService } from "./gen/heimdall/v1/audit_pb.ts";
import { AdviceSchema, GetJobsResponseSchema, HeimdallService, JobSchema } from "./gen/heimdall/v1/heimdall_pb.ts";
import {
  ObservationService,
  RecoveryService,
  SignalService,
  WatchResponseSchema,
  WatchService,
} from "./gen/reprise/v1/reprise_pb.ts";
import { createTranscoder, ignoredFieldsHeader, writeEvent, writeJson } from "./transcode.ts";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";

const transcoder = createTranscoder([
  HeimdallService,
  AuditService,
  ObservationService,
  SignalService,
  WatchService,
  RecoveryService,
]);

/** One line: the RPC and its request as JSON, and what was ignored; or why not. */
function ask(httpMethod: string, target: string, body: unknown = ""): string {
  const found = transcoder.find(httpMethod, target);
  if (found.kind === "refused") return `refused: ${found.refusal.message}`;
  if (found.kind !== "found")
    return found.kind === "other-methods" ? `allowed: ${found.allowed.join(" ")}` : found.kind;
  const read = found.read(typeof body === "string" ? body : JSON.stringify(body));
  if (read.kind === "refused") return `refused: ${read.refusal.message}`;
  const ignored = read.ignoredFields.length > 0 ? ` ignoring ${read.ignoredFields.join(" ")}` : "";
  return `${found.route.method.name} ${JSON.stringify(toJson(found.route.method.input, read.request))}${ignored}`;
}
function requestOf(httpMethod: string, target: string, body = ""): Readonly<Record<string, unknown>> {
  const found = transcoder.find(httpMethod, target);
  if (found.kind !== "found") throw new Error(`${target}: ${found.kind}`);
  const read = found.read(body);
  if (read.kind !== "read") throw read.refusal;
  return read.request;
}

// biome-ignore format: a table
const operations: [httpMethod: string, target: string, body: unknown, request: string][] = [
  ["GET", "/v1/jobs", "", "GetJobs {}"],
  ["GET", "/v1/jobs?pageToken=100&limit=5&jmState=RUNNING", "", 'GetJobs {"pageToken":"100","limit":5,"jmState":"RUNNING"}'],
  ["GET", "/v1/jobs?workflowIds=a&workflowIds=b&jobIds[]=1&jobIds%5B%5D=2", "", 'GetJobs {"workflowIds":["a","b"],"jobIds":["1","2"]}'],
  ["GET", "/v1/jobs?workflow_ids=a&workflowIds[]=b", "", 'GetJobs {"workflowIds":["a","b"]}'],
  ["GET", "/v1/jobs?completedJobs=false&reconciliation_eligible_jobs=True", "", 'GetJobs {"reconciliationEligibleJobs":true,"completedJobs":false}'],
  ["GET", "/v1/jobs?endTimeFrom=2026-01-31T12:00:00Z&endTimeTo=2026-01-31T12:00:00.5%2B01:00", "", 'GetJobs {"endTimeFrom":"2026-01-31T12:00:00Z","endTimeTo":"2026-01-31T11:00:00.500Z"}'],
  ["POST", "/v1/jobs", { workflowId: "w", jobId: "5", state: "JOB_STATUS_RUNNING" }, 'CreateOrUpdateJob {"workflowId":"w","jobId":"5","state":"JOB_STATUS_RUNNING"}'],
  ["POST", "/v1/jobs", { workflow_id: "w", attempt_index: 0, state: 2, allocated_nodes: ["n1"] }, 'CreateOrUpdateJob {"workflowId":"w","attemptIndex":0,"allocatedNodes":["n1"],"state":"JOB_STATUS_RUNNING"}'],
  ["GET", "/v1/jobs/95_1-0", "", 'GetJob {"heimdallJobId":"95_1-0"}'],
  ["GET", "/v1/jobs/0e984725-c51c-4bf4-9960-e1c80e27aba0?useHeimdallId=true", "", 'GetJob {"heimdallJobId":"0e984725-c51c-4bf4-9960-e1c80e27aba0","useHeimdallId":true}'],
  ["GET", "/v1/jobs/by-scheduler-id/5?page=100&limit=10", "", 'GetJobsBySchedulerId {"schedulerJobId":"5","page":"100","limit":10}'],
  ["GET", "/v1/workflows?pageNumber=2", "", 'GetWorkflows {"pageNumber":2}'],
  ["GET", "/v1/workflows:lookup?workflowId=team%2Frun+1", "", 'GetWorkflow {"workflowId":"team/run 1"}'],
  ["GET", "/v1/advice?onlyActive=true&page=x", "", 'ListAdvice {"page":"x","onlyActive":true}'],
  ["PUT", "/v1/advice/u/reconciliation-status", { observedGeneration: "3", disposition: "ADVICE_RECONCILIATION_DISPOSITION_CONVERGED" },
    'UpdateAdviceReconciliationStatus {"heimdallJobId":"u","reconciliationStatus":{"observedGeneration":"3","disposition":"ADVICE_RECONCILIATION_DISPOSITION_CONVERGED"}}'],
  ["GET", "/v1/recovery/sequences?schedulerSystem=slurm&schedulerScope=c&jobId=5&sourceAttemptIndex=0&operation=RECOVERY_OPERATION_RESTART", "",
    'GetRecoverySequence {"schedulerSystem":"slurm","schedulerScope":"c","jobId":"5","sourceAttemptIndex":0,"operation":"RECOVERY_OPERATION_RESTART"}'],
  ["GET", "/v1/recovery/sequences?operation=2", "", 'GetRecoverySequence {"operation":"RECOVERY_OPERATION_TERMINATE"}'],
  ["POST", "/v1/recovery/milestones", { sequenceId: "s", action: "RECOVERY_SCHEDULER_ACTION_SLURM_RELEASE" }, 'RecordRecoveryMilestone {"sequenceId":"s","action":"RECOVERY_SCHEDULER_ACTION_SLURM_RELEASE"}'],
  ["GET", "/v1/audit/events?jobId=5&attemptIndex=0&minEventProducedAt=1700000000000000&sortBy=event_produced_at%3Aasc", "",
    'GetAuditEvents {"jobId":"5","attemptIndex":0,"minEventProducedAt":"1700000000000000","sortBy":"event_produced_at:asc"}'],
  ["POST", "/v1/audit/events", { items: [{ eventType: "x", payload: { a: [1, null] } }] }, 'CreateAuditEvents {"items":[{"eventType":"x","payload":{"a":[1,null]}}]}'],
  ["POST", "/reprise/v1/targets:claim", { watcher: "w" }, 'ClaimTargets {"watcher":"w"}'],
  ["GET", "/reprise/v1/jobs/95_1/explain?attemptIndex=0", "", 'Explain {"jobId":"95_1","attemptIndex":0}'],
];

describe("each operation has its documented path", () => {
  test.each(operations)("%s %s", (httpMethod, target, body, request) => {
    expect(ask(httpMethod, target, body)).toBe(request);
  });

  test("every RPC of every service has a route", () => {
    const rpcs = [HeimdallService, AuditService, ObservationService, SignalService, WatchService, RecoveryService];
    expect(transcoder.routes.map(({ method }) => method.name)).toEqual(
      rpcs.flatMap((s) => s.methods.map((m) => m.name)),
    );
  });

  test("a server stream is found with its kind", () => {
    const found = transcoder.find("GET", "/reprise/v1/watch");
    expect(found.kind === "found" && found.route.method.methodKind).toBe("server_streaming");
  });
});

describe("paths", () => {
  // biome-ignore format: a table
  test.each([
    ["another method",        "DELETE", "/v1/jobs",                  "allowed: GET POST"],
    ["another method, verb",  "POST",   "/v1/workflows:lookup",      "allowed: GET"],
    ["no such path",          "GET",    "/v1/job",                   "no-such-path"],
    ["no such verb",          "GET",    "/v1/workflows:find",        "no-such-path"],
    ["a slash at the end",    "GET",    "/v1/jobs/",                 "no-such-path"],
    ["nothing",               "GET",    "",                          "no-such-path"],
    ["a whole URL",           "GET",    "http://x/v1/jobs",          "no-such-path"],
    ["a lower-case method",   "get",    "/v1/jobs",                  "GetJobs {}"],
    ["an encoded slash",      "GET",    "/v1/jobs/a%2Fb-0",          'GetJob {"heimdallJobId":"a/b-0"}'],
    ["a plus is a plus",      "GET",    "/v1/jobs/a+b-0",            'GetJob {"heimdallJobId":"a+b-0"}'],
    ["UTF-8",                 "GET",    "/v1/jobs/%C3%A9-0",         'GetJob {"heimdallJobId":"é-0"}'],
    ["a colon in an ID",      "GET",    "/v1/jobs/a:b-0",            'GetJob {"heimdallJobId":"a:b-0"}'],
    ["an encoded colon",      "GET",    "/v1/workflows%3Alookup",    "no-such-path"],
    ["a literal goes first",  "GET",    "/v1/jobs/by-scheduler-id",  'GetJob {"heimdallJobId":"by-scheduler-id"}'],
    ["malformed percent",     "GET",    "/v1/jobs/5%-0",             'refused: path: "5%-0" is not percent-encoded UTF-8'],
    ["bytes, not UTF-8",      "GET",    "/v1/jobs/%FF-0",            'refused: path: "%FF-0" is not percent-encoded UTF-8'],
    ["malformed in a query",  "GET",    "/v1/workflows:lookup?workflowId=5%2", 'refused: query: "5%2" is not percent-encoded UTF-8'],
  ])("%s", (_what, httpMethod, target, answer) => {
    expect(ask(httpMethod, target)).toBe(answer);
  });

  test("any workflow ID comes back through a query, and any ID through a path", () => {
    const id = fc.string({ unit: "binary", minLength: 1 }).filter((s) => s.isWellFormed());
    fc.assert(
      fc.property(id, (text) => {
        const encoded = encodeURIComponent(text);
        expect(requestOf("GET", `/v1/workflows:lookup?workflowId=${encoded}`)["workflowId"]).toBe(text);
        if (!/^by-scheduler-id$/.test(text))
          expect(requestOf("GET", `/v1/jobs/${encoded}`)["heimdallJobId"]).toBe(text);
        expect(requestOf("GET", `/v1/jobs/by-scheduler-id/${encoded}`)["schedulerJobId"]).toBe(text);
        const form = new URLSearchParams([
          ["workflowIds", text],
          ["workflowIds", "+"],
        ]);
        expect(requestOf("GET", `/v1/jobs?${form.toString()}`)["workflowIds"]).toEqual([text, "+"]);
      }),
    );
  });

  test("no target and no body makes anything but an answer or a refusal", () => {
    const target = fc.oneof(
      fc.string(),
      fc.webPath(),
      fc
        .tuple(
          fc.constantFrom("/v1/jobs", "/v1/jobs/x", "/v1/workflows:lookup", "/reprise/v1/watch"),
          fc.webQueryParameters(),
        )
        .map((p) => p.join("?")),
    );
    const body = fc.oneof(fc.string(), fc.json());
    fc.assert(
      fc.property(fc.constantFrom("GET", "POST", "PUT"), target, body, (httpMethod, at, text) => {
        expect(typeof ask(httpMethod, at, text)).toBe("string");
        expect(typeof ask("POST", "/v1/jobs", text)).toBe("string");
        expect(typeof ask("POST", "/reprise/v1/signals", text)).toBe("string");
      }),
    );
  });
});

describe("what cannot be read is refused with its field named", () => {
  // biome-ignore format: a table
  test.each<[what: string, httpMethod: string, target: string, body: unknown, words: RegExp]>([
    ["a limit that is no number",    "GET", "/v1/jobs?limit=ten", "", /^refused: limit: .*"ten"/],
    ["an empty limit",               "GET", "/v1/jobs?limit=", "", /^refused: limit: /],
    ["a limit beyond 32 bits",       "GET", "/v1/jobs?limit=3000000000", "", /^refused: limit: /],
    ["a fraction of a page",         "GET", "/v1/jobs?pageNumber=1.5", "", /^refused: pageNumber: /],
    ["a bool that is neither",       "GET", "/v1/jobs?completedJobs=yes", "", /^refused: completedJobs: "yes" is not true or false$/],
    ["an empty bool",                "GET", "/v1/advice?onlyActive", "", /^refused: onlyActive: "" is not/],
    ["a time that is none",          "GET", "/v1/jobs?endTimeFrom=yesterday", "", /^refused: endTimeFrom: "yesterday" is not a time; expected RFC 3339/],
    ["microseconds, not a number",   "GET", "/v1/audit/events?minEventProducedAt=x", "", /^refused: minEventProducedAt: /],
    ["one value given twice",        "GET", "/v1/jobs?jmState=A&jmState=B", "", /^refused: jmState: given more than once$/],
    ["an enum name we do not know",  "GET", "/v1/recovery/sequences?operation=RESTART", "", /^refused: operation: "RESTART" is not one of .*RECOVERY_OPERATION_RESTART/],
    ["the same in a body",           "POST", "/v1/jobs", { state: "RUNNING" }, /^refused: state: "RUNNING" is not one of .*JOB_STATUS_RUNNING/],
    ["a nested value",               "PUT", "/v1/advice/u/reconciliation-status", { observedGeneration: "x" }, /^refused: observedGeneration: /],
    ["a nested message",             "POST", "/v1/jobs", { nodeConstraints: [] }, /^refused: nodeConstraints: expected a JSON object$/],
    ["a message in a list",          "POST", "/v1/jobs", { recoveryConfig: { dagDependencies: [{}, 5] } }, /^refused: recoveryConfig\.dagDependencies\[1\]: expected a JSON object$/],
    ["a list that is none",          "POST", "/v1/jobs", { allocatedNodes: "n1" }, /^refused: allocatedNodes: /],
    ["metadata that is no object",   "POST", "/v1/jobs", { schedulerMetadata: 5 }, /^refused: schedulerMetadata: expected a JSON object$/],
    ["both spellings",               "POST", "/v1/jobs", { workflowId: "a", workflow_id: "b" }, /^refused: workflowId: given twice/],
    ["no JSON",                      "POST", "/v1/jobs", "{", /^refused: body: not JSON: /],
    ["a body that is an array",      "POST", "/v1/jobs", "[]", /^refused: body: expected a JSON object$/],
    ["a body nested too deeply",     "POST", "/v1/jobs", `{"schedulerMetadata":{"a":${"[".repeat(5000)}${"]".repeat(5000)}}}`, /^refused: body: deeper than 40 levels, line 1, column \d+$/],
    ["deeper than the stack",        "POST", "/v1/jobs", `{"schedulerMetadata":{"__proto__":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`, /^refused: body: /],
    ["unknown field of reprise.v1",  "POST", "/reprise/v1/signals", { signals: [{ kid: "crash" }] }, /^refused: signals\[0\]\.kid: reprise\.v1\.ReportSignalsRequest has no such field$/],
    ["unknown key of reprise.v1",    "GET", "/reprise/v1/work?klaster=a", "", /^refused: klaster: /],
  ])("%s", (_what, httpMethod, target, body, words) => {
    expect(ask(httpMethod, target, body)).toMatch(words);
  });

  test("a refusal does not repeat a long value", () => {
    expect(ask("POST", "/v1/jobs", { attemptIndex: "9".repeat(100_000) }).length).toBeLessThan(1000);
    expect(ask("GET", `/v1/jobs?endTimeTo=${"9".repeat(100_000)}`).length).toBeLessThan(1000);
  });
});

describe("unknown fields of heimdall.v1 are ignored and named", () => {
  test("in a body, at every depth", () => {
    const body = {
      workflowId: "w",
      colour: 1,
      recoveryConfig: { mood: "x", dagDependencies: [{ jobId: "1", tr: 2 }] },
    };
    expect(ask("POST", "/v1/jobs", body)).toBe(
      'CreateOrUpdateJob {"workflowId":"w","recoveryConfig":{"dagDependencies":[{"jobId":"1"}]}} ignoring colour recoveryConfig.mood recoveryConfig.dagDependencies[0].tr',
    );
  });

  test("in a query, and beside a body that is the whole request", () => {
    expect(ask("GET", "/v1/jobs?limit=5&colour=red&a.b=1&jobs.x")).toBe(
      'GetJobs {"limit":5} ignoring colour a.b jobs.x',
    );
    expect(ask("POST", "/v1/jobs?workflowId=w", {})).toBe("CreateOrUpdateJob {} ignoring workflowId");
  });

  test("a query cannot replace what stands in the path, nor can a body", () => {
    expect(ask("GET", "/v1/jobs/a-0?heimdallJobId=b-0")).toBe('GetJob {"heimdallJobId":"a-0"} ignoring heimdallJobId');
    expect(ask("PUT", "/v1/advice/a/reconciliation-status?heimdallJobId=b", {})).toMatch(
      /"heimdallJobId":"a".* ignoring heimdallJobId$/,
    );
  });

  test("free metadata holds no unknown fields, whatever is in it; a key __proto__ is dropped", () => {
    const text = '{"schedulerMetadata":{"slurm":{"a":null,"constructor":{"b":[1]},"__proto__":{"admin":true}}}}';
    const { schedulerMetadata } = requestOf("POST", "/v1/jobs", text);
    expect(JSON.stringify(schedulerMetadata)).toBe('{"slurm":{"a":null,"constructor":{"b":[1]}}}');
    expect((schedulerMetadata as { slurm: { admin?: boolean } }).slurm.admin).toBeUndefined();
  });

  test("their header holds nothing that a header cannot", () => {
    expect(ignoredFieldsHeader(["a.b", "ü\r\nSet-Cookie: x", "c,d", "\ud800"])).toBe(
      "a.b, %C3%BC%0D%0ASet-Cookie:%20x, c%2Cd, %EF%BF%BD",
    );
    expect(ignoredFieldsHeader(Array.from({ length: 25 }, () => "x"))).toMatch(/, and 5 more$/);
  });
});

describe("responses", () => {
  test("unset optional fields are omitted; set ones and the rest are there, also when zero", () => {
    const job = create(JobSchema, { jobId: "5", attemptIndex: 0 });
    expect(JSON.parse(writeJson(JobSchema, job))).toEqual({ jobId: "5", attemptIndex: 0, nodes: [] });
    const none = create(GetJobsResponseSchema);
    expect(JSON.parse(writeJson(GetJobsResponseSchema, none))).toEqual({ jobs: [], count: 0, nextPageToken: "" });
  });

  test("int64 is a string, an enum its name, a time RFC 3339", () => {
    const advice = create(AdviceSchema, {
      generation: 2n ** 60n,
      desiredState: 1,
      createdAt: timestampFromMs(1_700_000_000_123),
    });
    expect(JSON.parse(writeJson(AdviceSchema, advice))).toMatchObject({
      generation: "1152921504606846976",
      desiredState: "ADVICE_DESIRED_STATE_RESTARTED",
      createdAt: "2023-11-14T22:13:20.123Z",
      active: false,
    });
  });

  test("an event of a stream is one line and an empty one", () => {
    expect(writeEvent(WatchResponseSchema, create(WatchResponseSchema, { kind: "a\nb" }))).toBe(
      'data: {"kind":"a\\nb","heimdallJobId":"","eventId":""}\n\n',
    );
    expect(writeEvent(WatchResponseSchema, create(WatchResponseSchema, { kind: "job", eventId: "s.7" }))).toBe(
      'id: s.7\ndata: {"kind":"job","heimdallJobId":"","eventId":"s.7"}\n\n',
    );
    expect(writeEvent(WatchResponseSchema, create(WatchResponseSchema, { eventId: "7\nretry: 1" }))).not.toMatch(/^id/);
  });
});
