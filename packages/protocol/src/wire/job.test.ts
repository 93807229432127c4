/**
 * Goal    a report is believed only when it fits api.md §4, keeps what it does not mention, and a Job shows what is stored.
 * Method  whole values in and out; one table of bad input with the words it gets.
 */
import { create, type JsonObject, toJson } from "@bufbuild/protobuf";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import { Refusal } from "@reprise/core/refusal.ts";
import { describe, expect, test } from "vitest";
import { CreateOrUpdateJobRequestSchema, JobSchema } from "../gen/heimdall/v1/heimdall_pb.ts";
import { attemptNameFromWire, jobReportFromWire, jobToWire } from "./job.ts";

const uuid = "0e984725-c51c-4bf4-9960-e1c80e27aba0";
const now = 1_700_000_000_000;

function refusal(work: () => unknown): string {
  try {
    return JSON.stringify(work());
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return `${(error as Refusal).code}: ${(error as Refusal).message}`;
  }
}
const report = (init: Parameters<typeof create<typeof CreateOrUpdateJobRequestSchema>>[1]) =>
  jobReportFromWire(create(CreateOrUpdateJobRequestSchema, init));

const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`) as JsonObject;

describe("a job report", () => {
  test("holds what was given and nothing else: absent fields and empty lists are kept by the store", () => {
    expect(report({ workflowId: "w", jobId: "5" })).toEqual({ workflowId: "w", jobId: "5", attemptIndex: 0 });
    expect(report({ workflowId: "w", jobId: "5", jobName: "", nodeConstraints: {}, state: 0 })).toEqual({
      workflowId: "w",
      jobId: "5",
      attemptIndex: 0,
    });
  });

  test("takes every field of the request, and from schedulerMetadata.slurm what finds the incarnation", () => {
    const slurm = {
      cluster: "c1",
      submitTime: "2026-01-31T12:00:00Z",
      user: "ada",
      command: "/x.sh",
      sluid: "s1",
      reason: "None",
    };
    expect(
      report({
        workflowId: "w",
        heimdallJobId: uuid.toUpperCase(),
        jobId: "95_1",
        attemptIndex: 2,
        jobName: "train",
        allocatedNodes: ["n1", "n2"],
        gpuCountPerNode: 8,
        nodeConstraints: { exclusions: ["n3"] },
        additionalProperties: { maxRequeueTimes: 0, enableNvrx: false },
        state: 5,
        schedulerMetadata: { slurm },
        recoveryConfig: { autoResumeMode: 2, maxRequeueTimes: 1 },
      }),
    ).toEqual({
      cluster: "c1",
      workflowId: "w",
      heimdallJobId: uuid,
      jobId: "95_1",
      attemptIndex: 2,
      jobName: "train",
      nodes: ["n1", "n2"],
      gpuCountPerNode: 8,
      nodeConstraints: { exclusions: ["n3"], inclusions: [] },
      additionalProperties: { maxRequeueTimes: 0, enableNvrx: false },
      status: "FAILED",
      schedulerMetadata: { slurm },
      recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE", maxRequeueTimes: 1 },
      submitAt: Date.parse("2026-01-31T12:00:00Z"),
      user: "ada",
      command: "/x.sh",
      sluid: "s1",
    });
  });

  test("keeps metadata that PostgreSQL could not store, with the bad characters replaced", () => {
    const { schedulerMetadata } = report({
      workflowId: "w",
      jobId: "5",
      schedulerMetadata: { "a\0": ["x\ud800", { b: "\0" }], c: null },
    });
    expect(schedulerMetadata).toEqual({ "a\ufffd": ["x\ufffd", { b: "\ufffd" }], c: null });
  });

  const nodes = (n: number) => Array.from({ length: n }, (_, i) => `n${i}`);
  // biome-ignore format: a table
  test.each<[what: string, init: Parameters<typeof report>[0], words: string]>([
    ["no workflow ID",            { jobId: "5" }, "invalid: workflowId: is required"],
    ["an empty workflow ID",      { workflowId: "", jobId: "5" }, "invalid: workflowId: is required"],
    ["257 characters",            { workflowId: "é".repeat(257), jobId: "5" }, "invalid: workflowId: has 257 characters; expected 1 to 256"],
    ["a NUL in it",               { workflowId: "a\0", jobId: "5" }, 'invalid: workflowId: "a\\u0000" holds a NUL or half a character'],
    ["half a character in it",    { workflowId: "\ud800", jobId: "5" }, 'invalid: workflowId: "\\ud800" holds a NUL or half a character'],
    ["no identity at all",        { workflowId: "w" }, "invalid: jobId: is required where heimdallJobId is not given"],
    ["a UUID that is none",       { workflowId: "w", heimdallJobId: "5-0" }, 'invalid: heimdallJobId: "5-0" is not a UUID'],
    ["a negative attempt index",  { workflowId: "w", jobId: "5", attemptIndex: -1 }, "invalid: attemptIndex: -1 is not an attempt index; expected 0 to 2147483647"],
    ["a node with a comma",       { workflowId: "w", jobId: "5", allocatedNodes: ["n1", "n2,n3"] }, 'invalid: allocatedNodes[1]: "n2,n3" is not a node name; expected 1 to 255 printable characters without space or comma'],
    ["a node that is empty",      { workflowId: "w", jobId: "5", nodeConstraints: { inclusions: [""] } }, 'invalid: nodeConstraints.inclusions[0]: "" is not a node name; expected 1 to 255 printable characters without space or comma'],
    ["20,001 nodes",              { workflowId: "w", jobId: "5", allocatedNodes: nodes(20_001) }, "invalid: allocatedNodes: has 20001 nodes; expected at most 20000"],
    ["negative GPUs",             { workflowId: "w", jobId: "5", gpuCountPerNode: -8 }, "invalid: gpuCountPerNode: -8 is out of range; expected 0 to 2^53 - 1"],
    ["a state we do not know",    { workflowId: "w", jobId: "5", state: 99 as never }, "invalid: state: 99 is not one of UNSPECIFIED, PENDING, RUNNING, STOPPED, COMPLETED, FAILED, CANCELLED, DELETED"],
    ["a mode we do not know",     { workflowId: "w", jobId: "5", recoveryConfig: { autoResumeMode: 9 as never } }, "invalid: recoveryConfig.autoResumeMode: 9 is not a value we know"],
    ["a trigger we do not know",  { workflowId: "w", jobId: "5", recoveryConfig: { dagDependencies: [{ trigger: 9 as never }] } }, "invalid: recoveryConfig.dagDependencies[0].trigger: 9 is not a value we know"],
    ["metadata too deep",         { workflowId: "w", jobId: "5", schedulerMetadata: nested(33) }, "invalid: schedulerMetadata: deeper than 32 levels"],
    ["a submit time that is none",{ workflowId: "w", jobId: "5", schedulerMetadata: { slurm: { submitTime: "soon" } } }, 'invalid: schedulerMetadata.slurm.submitTime: "soon" is not a time; expected RFC 3339 or milliseconds'],
  ])("with %s is refused", (_what, init, words) => {
    expect(refusal(() => report(init))).toBe(words);
  });

  test("256 characters, 20,000 nodes and the largest attempt index are taken", () => {
    const taken = report({
      workflowId: "🙂".repeat(256),
      jobId: "5",
      attemptIndex: 2 ** 31 - 1,
      allocatedNodes: nodes(20_000),
    });
    expect(taken.nodes).toHaveLength(20_000);
  });

  test("in a pass names its place", () => {
    const request = create(CreateOrUpdateJobRequestSchema, { workflowId: "w", jobId: "5", attemptIndex: -1 });
    expect(() => jobReportFromWire(request, "changed[3].")).toThrow(/^changed\[3\]\.attemptIndex: /);
  });
});

test.each([
  ["5-0", '{"jobId":"5","attemptIndex":0}'],
  ["95_1-12", '{"jobId":"95_1","attemptIndex":12}'],
  ["a-b/c-3", '{"jobId":"a-b/c","attemptIndex":3}'],
  ["a--1", '{"jobId":"a-","attemptIndex":1}'],
  [
    "5-2147483648",
    'invalid: heimdallJobId: "5-2147483648" is not {jobId}-{attemptIndex}; give useHeimdallId=true for a UUID',
  ],
  ["5", 'invalid: heimdallJobId: "5" is not {jobId}-{attemptIndex}; give useHeimdallId=true for a UUID'],
  ["-0", 'invalid: heimdallJobId: "-0" is not {jobId}-{attemptIndex}; give useHeimdallId=true for a UUID'],
  ["5-01", 'invalid: heimdallJobId: "5-01" is not {jobId}-{attemptIndex}; give useHeimdallId=true for a UUID'],
])("the attempt name %s is split at its last hyphen", (name, answer) => {
  expect(refusal(() => attemptNameFromWire(name))).toBe(answer);
});

const attempt: AttemptRecord = {
  heimdallJobId: uuid,
  cluster: "c",
  jobId: "5",
  attemptIndex: 0,
  incarnation: 0,
  workflowId: "w",
  nodes: ["n1"],
  nodeConstraints: { exclusions: [], inclusions: ["n1"] },
  status: "RUNNING",
  jmState: "RUNNING",
  schedulerMetadata: { slurm: { partition: "gpu" } },
  recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_OFF" },
  coverage: { kind: "not-covered", because: "off" },
  createdAt: now,
  updatedAt: now + 1,
  lastSeenAt: now + 2,
};

test("a job shows the fields of the documented API, set ones also when zero, unset ones not at all", () => {
  expect(toJson(JobSchema, jobToWire(attempt))).toEqual({
    workflowId: "w",
    heimdallJobId: uuid,
    jobRunId: "5-0",
    jobId: "5",
    attemptIndex: 0,
    nodes: ["n1"],
    nodeConstraints: { inclusions: ["n1"] },
    state: "JOB_STATUS_RUNNING",
    createdAt: "2023-11-14T22:13:20Z",
    updatedAt: "2023-11-14T22:13:20.001Z",
    lastSeen: "2023-11-14T22:13:20.002Z",
    schedulerMetadata: { slurm: { partition: "gpu" } },
    recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_OFF" },
  });
});
