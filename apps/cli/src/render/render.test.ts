/**
 * Goal    what people read is stable, fits 80 columns, has no colour where none is wanted, and cannot be made to move a
 *         terminal's cursor by what a job prints.
 * Method  golden files (`testdata/`, rewritten by `make golden`), and properties of the table.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { WireAdvice, WireExplain, WireJob } from "../wire.ts";
import { renderAdvice } from "./advice.ts";
import { renderExplain } from "./explain.ts";
import { renderJob, renderJobs, startOf } from "./jobs.ts";
import { createPaint } from "./paint.ts";
import { printable, wrap } from "./printable.ts";
import { renderTable } from "./table.ts";
import { age } from "./time.ts";
import type { WireClusterMode } from "../wire-mode.ts";
import { renderMode } from "./mode.ts";
import { renderUpSummary } from "./up-summary.ts";
import type { View } from "./view.ts";

const view: View = { width: 80, paint: createPaint(false), now: Date.parse("2030-01-31T14:10:00Z"), timeZone: "UTC" };
const unreadLogs = [
  {
    path: "/shared/slurm-12345.out",
    why: "sampled: it grows faster than it can be read, 92 MiB were left out",
    readAt: "2030-01-31T14:09:58Z",
  },
  { path: "/mnt/logs/rank3.log", why: "EACCES: permission denied, open '/mnt/logs/rank3.log'" },
];
const golden = (name: string) => `testdata/${name}.txt`;

const first: WireJob = {
  workflowId: "llm-pretrain",
  heimdallJobId: "0d1c2b3a-0000-5000-8000-000000000000",
  jobId: "12345",
  jobName: "llama-70b-pretrain-run-2030-01",
  nodes: ["n1", "n2"],
  gpuCountPerNode: 8,
  state: "JOB_STATUS_STOPPED",
  createdAt: "2030-01-31T14:00:00Z",
  lastSeen: "2030-01-31T14:05:41Z",
  schedulerMetadata: {
    slurm: {
      user: "ada",
      partition: "gpu",
      slurmState: "PENDING",
      reason: "None",
      exitCode: 1,
      signal: 0,
      stdout: "/shared/train-12345.out",
      workDir: "/shared",
    },
    recovery: { warnings: ['unknown key "max_requeue_time": did you mean max_requeue_times?'] },
  },
};
const second: WireJob = {
  ...first,
  heimdallJobId: "0d1c2b3a-0000-5000-8000-000000000001",
  attemptIndex: 1,
  nodes: ["n1", "n3"],
  state: "JOB_STATUS_RUNNING",
  nodeConstraints: { exclusions: ["n2"] },
  lastSeen: "2030-01-31T14:09:58Z",
  schedulerMetadata: { slurm: { slurmState: "RUNNING" }, recovery: {} },
};
const uncovered: WireJob = {
  jobId: "12346",
  jobName: "notebook",
  nodes: ["n4"],
  state: "JOB_STATUS_RUNNING",
  lastSeen: "2030-01-31T14:09:58Z",
  schedulerMetadata: {
    slurm: { slurmState: "RUNNING" },
    recovery: {
      notCovered: { because: "the comment is not JSON: expected a comma or } after the value", position: 34 },
    },
  },
};

const advice: WireAdvice = {
  jobId: "12345",
  desiredState: "ADVICE_DESIRED_STATE_RESTARTED",
  nodeConstraints: { exclusions: ["n2"] },
  because: "hardware-node",
  generation: "1",
  reconciliationStatus: {
    disposition: "ADVICE_RECONCILIATION_DISPOSITION_CONVERGED",
    reason: "ADVICE_RECONCILIATION_REASON_DESIRED_STATE_OBSERVED",
    message: "attempt 1 is not held and keeps away from n2",
  },
  createdAt: "2030-01-31T14:05:08Z",
  active: false,
};

const story: WireExplain = {
  jobId: "12345",
  workflowId: "llm-pretrain",
  attempts: [
    {
      job: first,
      covered: true,
      progress: { firstStep: "1", lastStep: "57", lastStepAt: "2030-01-31T14:05:02Z", checkpointStep: "50" },
      signals: [{ kind: "progress", at: "2030-01-31T14:05:02Z", step: "57" }],
      incident: {
        root: {
          kind: "crash",
          at: "2030-01-31T14:05:03Z",
          cause: "cuda-ecc-uncorrectable",
          causeClass: "hardware-node",
          root: true,
          nodes: ["n2"],
          rank: 3,
          evidence: {
            source: "log",
            line: "[rank3]: RuntimeError: CUDA error: \u001b[31muncorrectable ECC error\u001b[0m encountered",
            path: "/shared/train-12345.out",
            offset: "10423",
          },
        },
        consequences: [
          {
            kind: "crash",
            cause: "connection-reset",
            count: 69,
            ranks: 69,
            nodes: ["n1", "n3", "n4", "n5", "n6"],
            paths: ["/a", "/b"],
          },
        ],
        rootContext: {
          before: ["step 55", "step 56", "step 57"],
          after: ["\u001b[31mTraceback\u001b[0m (most recent call last):", "NCCL aborted", "c", "d", "e"],
        },
        survived: [{ kind: "crash", cause: "nccl-warning", count: 1, paths: ["/a"] }],
      },
      decision: {
        because: "hardware-node",
        sentence: "A GPU of n2 has lost data that it cannot correct. The job is restarted without n2.",
        decidedAt: "2030-01-31T14:05:08Z",
        rules: [
          { rule: "not-covered", answered: false, why: "the job opted in with auto_resume_mode requeue" },
          {
            rule: "hardware-node",
            answered: true,
            why: "the earliest root line names n2 and the program cannot go on after it",
          },
        ],
        budgets: [
          { bound: "max_requeue_times", spent: 1, allowed: 3 },
          { bound: "max_failures_without_progress", allowed: 3 },
        ],
      },
      advice: [advice],
      steps: [
        {
          action: "requeue-hold",
          begunAt: "2030-01-31T14:05:08.300Z",
          endedAt: "2030-01-31T14:05:08.345Z",
          outcome: "done",
        },
        {
          action: "update-constraints",
          begunAt: "2030-01-31T14:05:09.100Z",
          endedAt: "2030-01-31T14:05:09.160Z",
          outcome: "done",
        },
        { action: "release", begunAt: "2030-01-31T14:05:09.400Z" },
      ],
      stages: {
        schedulerRecoveredAt: "2030-01-31T14:05:16Z",
        trainingResumedAt: "2030-01-31T14:05:19Z",
        resumedFromStep: "50",
      },
      seconds: {
        rootAt: "2030-01-31T14:05:03Z",
        detect: 0.25,
        decide: 5.1,
        act: 5.35,
        released: 6.4,
        running: 11.9,
        resumed: 16,
        converged: 13.2,
      },
    },
    {
      job: second,
      covered: true,
      progress: { resumedFromStep: "50", firstStep: "51", lastStep: "63" },
      decision: { because: "healthy", sentence: "It runs." },
    },
  ],
};

describe("golden", () => {
  test.each<[string, string]>([
    ["jobs", renderJobs([first, second, uncovered], 0, view)],
    ["jobs-more", renderJobs([{ jobId: "published-by-another-program", state: "JOB_STATUS_PENDING" }], 120, view)],
    ["jobs-none", renderJobs([], 0, view)],
    ["job", renderJob([first, second, uncovered], view)],
    [
      "advice",
      renderAdvice(
        [advice, { ...advice, jobId: "12399_7", attemptIndex: 2, reconciliationStatus: {}, nodeConstraints: {} }],
        3,
        view,
      ),
    ],
    ["explain", renderExplain(story, view)],
    [
      "explain-not-covered",
      renderExplain(
        { jobId: "12346", attempts: [{ job: uncovered, notCoveredBecause: "the comment is not JSON" }] },
        view,
      ),
    ],
    ["explain-empty", renderExplain({}, view)],
    [
      "explain-log-unread",
      renderExplain({ jobId: "12345", attempts: [{ job: first, covered: true, unreadLogs }] }, view),
    ],
    ["job-log-unread", renderJob([first], view, new Map([[first.heimdallJobId ?? "", unreadLogs]]))],
  ])("%s", async (name, shown) => {
    await expect(shown).toMatchFileSnapshot(golden(name));
    for (const line of shown.split("\n")) expect([...line].length).toBeLessThanOrEqual(80);
    expect(shown).not.toContain("\u001b");
  });

  test("the summary of `up`", async () => {
    const config = {
      mode: "act",
      partitions: ["gpu"],
      scheduler: "slurm",
      poll: 2_000,
      watchdogMode: "act",
      failOpenAfter: 180_000,
      data: "/data",
      insecure: false,
    };
    const ready = {
      http: "http://127.0.0.1:8080",
      grpc: "127.0.0.1:9090",
      internalHttp: "http://127.0.0.1:8081",
      internalGrpc: "127.0.0.1:9091",
      tokenFile: "/data/token",
    };
    const parts = [
      { part: "server", pid: 11 },
      { part: "watcher", pid: 12 },
      { part: "watchdog", pid: 13 },
      { part: "sac", pid: undefined },
    ] as const;
    const shown = renderUpSummary(
      { ready, parts, config: config as never },
      { isTty: true, width: 80, hasColour: false, canRedraw: false },
    );
    await expect(shown).toMatchFileSnapshot(golden("up-summary"));
    const note = { by: "ann", reason: "maintenance" };
    const orders = { generation: "2", mode: { mode: "observe", note }, stop: { by: "bob", reason: "too many" } };
    const ordered = renderUpSummary(
      { ready, parts, config: config as never, mode: { orders } },
      { isTty: true, width: 80, hasColour: false, canRedraw: false },
    );
    expect(ordered).toContain("ordered   observe, by ann: maintenance\n");
    expect(ordered).toContain("ordered   stopped by bob: too many\n");
  });
});

describe("the mode of a cluster", () => {
  const note = { by: "ann", reason: "the canary has passed", at: "2030-01-31T13:00:00Z" };
  const acting: WireClusterMode = {
    cluster: "default",
    mode: "act",
    partitions: ["gpu"],
    orders: { generation: "3", mode: { mode: "act", partitions: ["gpu"], note } },
    sac: { allowedMode: "act", allowedPartitions: ["gpu", "long"], ordersGeneration: "3" },
    reportedAt: "2030-01-31T14:09:58Z",
    lease: { holder: "login1 4f2a", term: "7" },
  };

  test("as it acts; and observing, stopped, with what is on the way out and what waits", async () => {
    const stop = { by: "bob", reason: "forty jobs at once", at: "2030-01-31T14:08:00Z" };
    const since = "2030-01-31T14:08:01Z";
    const braked: WireClusterMode = {
      ...acting,
      mode: "observe",
      orders: { generation: "5", mode: { mode: "observe", note }, stop },
      sac: {
        ...acting.sac,
        openHolds: 2,
        brakes: [
          { kind: "kill-switch", since },
          { kind: "stop-order", since, heldBack: 1 },
          { kind: "restarts-per-minute", since, heldBack: 10 },
        ],
      },
    };
    const configured = { cluster: "default", orders: { generation: "0" } };
    const shown = [acting, braked, configured].map((mode) => renderMode(mode, view)).join("\n");
    await expect(shown).toMatchFileSnapshot(golden("mode"));
  });
});

test("colours are there when they are wanted", () => {
  expect(renderJobs([second], 0, { ...view, paint: createPaint(true) })).toContain("\u001b[32mRUNNING\u001b[39m");
});

test("a table fits its width as far as its columns may shrink, whatever is in it, and every row is one line", () => {
  const cell = fc.string({ unit: "grapheme", maxLength: 60 });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }),
      fc.integer({ min: 30, max: 120 }),
      (rows, width) => {
        const columns = [0, 1, 2].map((i) => ({
          title: `T${i}`,
          cell: (row: [string, string, string]) => row[i] ?? "",
          canShrink: true as const,
        }));
        const lines = renderTable(columns, rows, width).split("\n");
        expect(lines).toHaveLength(rows.length + 2);
        for (const line of lines) expect([...line].length).toBeLessThanOrEqual(width);
      },
    ),
  );
});

test("text of others cannot move a cursor, ring, set a title, or turn its direction", () => {
  expect(printable("a\u001b]0;pwned\u0007\r\nb\u009b2J\u202ec\td")).toBe("a␛]0;pwned␇␍␊b\ufffd2J\ufffdc d");
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => !/[\u0000-\u001f\u007f-\u009f]/.test(printable(text))),
  );
});

test("wrapped text loses nothing but spaces at its breaks", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 40 }), (text, width) => {
      const lines = wrap(text, width);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
    }),
  );
});

test.each([
  [0, "0 s"],
  [119_000, "119 s"],
  [120_000, "2 min"],
  [7_100_000, "118 min"],
  [7_200_000, "2 h"],
  [172_800_000, "2 d"],
  [-5, "0 s"],
])("%i ms ago is %s", (ms, shown) => expect(age(ms)).toBe(shown));

test("an attempt that is delayed says until when; another one that waits says nothing, since Slurm only guesses", () => {
  const waits = (reason: string, restartDelayUntil: number): WireJob => ({
    state: "JOB_STATUS_PENDING",
    schedulerMetadata: { slurm: { reason, restartDelayUntil } },
  });
  expect(startOf(waits("BeginTime", view.now + 60_000), view)).toBe("not before 2030-01-31 14:11:00, in 60 s");
  expect(startOf(waits("BeginTime", view.now - 1), view)).toBeUndefined();
  expect(startOf(waits("Resources", view.now + 60_000), view)).toBeUndefined();
});
