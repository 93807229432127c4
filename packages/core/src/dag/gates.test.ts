/**
 * Goal    every trigger against every course that a parent can take; whom a dependency means; cycles and missing parents.
 * Method  tables of one parent and its dependent; a property over random graphs with an oracle of a few lines.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { attempt, dependency, t0, waiting } from "./dag.example.ts";
import { gatesOf } from "./gates.ts";
import type { GraphAttempt } from "./graph.ts";

/** The states of the gates of one job, in their order. */
const show = (attempts: readonly GraphAttempt[], jobId: string) =>
  (gatesOf(attempts).get(`${jobId}-0`) ?? []).map(({ state }) => state).join(" ");
const why = (attempts: readonly GraphAttempt[], jobId: string) =>
  (gatesOf(attempts).get(`${jobId}-0`) ?? []).map((gate) => `${gate.state}: ${gate.why}`).join("\n");

const restarted = (disposition: "PENDING" | "CONVERGED" | "ABANDONED") => ({
  desired: "RESTARTED" as const,
  disposition,
});
const terminated = { desired: "TERMINATED" as const, disposition: "PENDING" as const };
const wasEnded = { ...terminated, disposition: "CONVERGED" as const };
const failed = { status: "FAILED", jmState: "FAILED" } as const;
const completed = { status: "COMPLETED", jmState: "COMPLETED" } as const;
const running = { status: "RUNNING", jmState: "RUNNING", startedAt: t0 } as const;
const requeued = { status: "STOPPED", jmState: "REQUEUED", startedAt: t0 } as const;
const one = (change: Partial<GraphAttempt>) => [attempt("1", change)];
const two = (first: Partial<GraphAttempt>, second: Partial<GraphAttempt>) => [
  attempt("1", first),
  attempt("1", { attemptIndex: 1, ...second }),
];

// prettier-ignore
const courses: [
  course: string,
  parent: GraphAttempt[],
  onSuccess: string,
  onFailure: string,
  onCompletion: string,
  onStart: string,
][] = [
  ["has not started", one({}), "closed", "closed", "closed", "closed"],
  ["is running", one(running), "closed", "closed", "closed", "open"],
  ["runs in a state nobody knows", one({ ...running, jmState: "UNKNOWN" }), "closed", "closed", "closed", "open"],
  ["completed", one(completed), "open", "never", "open", "open"],
  ["completed, and is not decided yet", one({ ...completed, isDecided: false }), "closed", "closed", "closed", "open"],
  [
    "completed, and is to run again",
    one({ ...completed, advice: restarted("PENDING") }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  ["failed, and is not decided yet", one({ ...failed, isDecided: false }), "closed", "closed", "closed", "open"],
  [
    "given up and cancelled, whatever was learnt since",
    one({ ...running, status: "CANCELLED", jmState: "CANCELLED", advice: terminated, isDecided: false }),
    "never",
    "closed",
    "closed",
    "open",
  ],
  [
    "failed, given up, and something was ordered since",
    one({ ...failed, advice: terminated, isDecided: false }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  [
    "failed, its restart is open",
    one({ ...failed, advice: restarted("PENDING") }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  [
    "failed, its restart is withdrawn",
    one({ ...failed, advice: { ...restarted("PENDING"), withdrawnAt: t0 } }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  [
    "failed, its restart is made",
    one({ ...failed, advice: restarted("CONVERGED") }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  [
    "failed, its restart was given up",
    one({ ...failed, advice: restarted("ABANDONED") }),
    "never",
    "open",
    "open",
    "open",
  ],
  ["failed, and nothing follows", one(failed), "never", "open", "open", "open"],
  ["waits for its restart", two(requeued, {}), "closed", "closed", "closed", "open"],
  ["runs again", two(requeued, running), "closed", "closed", "closed", "open"],
  ["completed at last", two(requeued, completed), "open", "never", "open", "open"],
  ["failed again for good", two(requeued, failed), "never", "open", "open", "open"],
  [
    "was rolled back to its failure",
    two({ ...failed, advice: restarted("CONVERGED") }, { status: "DELETED", jmState: "UNKNOWN" }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  [
    "left Slurm while it waited to restart",
    two(requeued, { status: "DELETED", jmState: "UNKNOWN" }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  ["left Slurm unseen", one({ status: "DELETED", jmState: "UNKNOWN" }), "closed", "closed", "closed", "closed"],
  [
    "was cancelled while it ran",
    one({ ...running, status: "CANCELLED", jmState: "CANCELLED" }),
    "never",
    "open",
    "open",
    "open",
  ],
  [
    "was cancelled before it ran, and requeued",
    two({ status: "CANCELLED", jmState: "REQUEUED" }, {}),
    "closed",
    "closed",
    "closed",
    "closed",
  ],
  ["was cancelled before it ran", one({ status: "CANCELLED", jmState: "CANCELLED" }), "never", "open", "open", "never"],
  [
    "missed its deadline before it ran",
    one({ status: "FAILED", jmState: "DEADLINE" }),
    "never",
    "open",
    "open",
    "never",
  ],
  [
    "runs, and is to be ended: its owner may be quicker",
    one({ ...running, advice: terminated }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  ["is to be ended before it ran", one({ advice: terminated }), "closed", "closed", "closed", "closed"],
  ["ran, and was ended", one({ ...running, advice: wasEnded }), "never", "closed", "closed", "open"],
  ["was ended before it ran", one({ advice: wasEnded }), "never", "closed", "closed", "never"],
  [
    "was terminated, which was withdrawn",
    one({ advice: { ...terminated, withdrawnAt: t0 } }),
    "closed",
    "closed",
    "closed",
    "closed",
  ],
  [
    "was terminated, which was given up",
    one({ ...running, advice: { ...terminated, disposition: "ABANDONED" } }),
    "closed",
    "closed",
    "closed",
    "open",
  ],
  ["completed before it was terminated", one({ ...completed, advice: terminated }), "open", "never", "open", "open"],
  ["was preempted for good", one({ status: "STOPPED", jmState: "PREEMPTED" }), "never", "open", "open", "open"],
];

describe("the parent", () => {
  test.each(courses)("%s", (_course, parent, onSuccess, onFailure, onCompletion, onStart) => {
    const child = waiting("9", "1", "1:on_failure", "1:on_completion", "1:on_start");
    expect(show([...parent, child], "9")).toBe([onSuccess, onFailure, onCompletion, onStart].join(" "));
  });
});

describe("whom a dependency means", () => {
  test("an ID means the job that had it when its dependent was submitted, not one that was issued the ID later", () => {
    const before = attempt("1", { ...completed, submitAt: t0 });
    const later = attempt("1", { ...failed, heimdallJobId: "1-0@later", incarnation: 1, submitAt: t0 + 60_000 });
    expect(show([later, before, waiting("9", "1")], "9")).toBe("open");
    expect(show([later, before, { ...waiting("9", "1"), submitAt: t0 + 61_000 }], "9")).toBe("never");
  });

  test("a name means the newest job of that name in the workflow, also where an older one was requeued since", () => {
    const train = (jobId: string, change: Partial<GraphAttempt>) => attempt(jobId, { jobName: "train", ...change });
    const older = [train("1", requeued), train("1", { ...completed, attemptIndex: 1, submitAt: t0 + 50_000 })];
    const others = [train("4", { ...completed, workflowId: "other" }), train("5", { ...completed, cluster: "other" })];
    const child = waiting("9", "name:train");
    expect(show([...older, ...others, child], "9")).toBe("open");
    expect(show([...older, ...others, train("3", running), child], "9")).toBe("closed");
    expect(show([...older, train("8", {}), train("10", { ...failed, submitAt: t0 + 8_000 }), child], "9")).toBe(
      "never",
    );
  });

  test("a parent that nobody has seen is named, and counts once it is there", () => {
    const child = waiting("9", "7", "name:train");
    expect(why([child], "9")).toBe(
      'refused: nobody has seen job 7 on cluster "default"\nrefused: nobody has seen the job named "train" in workflow "w"',
    );
    expect(show([child, attempt("7", completed), attempt("8", { jobName: "train" })], "9")).toBe("open closed");
  });

  test("only a first attempt that is queued and has never started has gates", () => {
    const job = waiting("9", "1");
    expect([...gatesOf([job, waiting("8", "1")]).keys()]).toEqual(["9-0", "8-0"]);
    for (const change of [running, { startedAt: t0 }, completed, { attemptIndex: 1 }]) {
      expect(gatesOf([{ ...job, ...change }, ...one(completed)]).size).toBe(0);
    }
    expect(gatesOf([attempt("9"), ...one(completed)]).size).toBe(0);
  });
});

describe("a whole array", () => {
  const task = (id: number, change: Partial<GraphAttempt> = {}) => attempt(`95_${id}`, { submitAt: t0, ...change });
  const child = (parent = "95") =>
    waiting("99", parent, `${parent}:on_failure`, `${parent}:on_completion`, `${parent}:on_start`);
  const given = (...tasks: readonly Partial<GraphAttempt>[]) => tasks.map((change, i) => task(i, change));

  // biome-ignore format: a table reads in columns.
  const arrays: [course: string, tasks: GraphAttempt[], gates: string][] = [
    ["nobody has started",             given({}, {}),                            "closed closed closed closed"],
    ["one has started",                given(running, {}),                       "closed closed closed closed"],
    ["each has started",               given(running, completed),                "closed closed closed open"],
    ["each has completed",             given(completed, completed),              "open never open open"],
    ["one has failed, others run",     given(failed, running),                   "never closed closed open"],
    ["one has failed, all have ended", given(completed, failed, completed),      "never open open open"],
    ["one is being restarted",         given(completed, { ...failed, advice: restarted("PENDING") }), "closed closed closed open"],
    ["one was cancelled before it ran", given(completed, { status: "CANCELLED", jmState: "CANCELLED" }), "never open open never"],
    ["one has left unseen",            given(completed, { status: "DELETED", jmState: "UNKNOWN" }), "closed closed closed closed"],
  ];
  test.each(arrays)("%s", (_course, tasks, gates) => expect(show([...tasks, child()], "99")).toBe(gates));

  test("one of one task is judged as that task", () => {
    expect(show([task(0, completed), child()], "99")).toBe(show([attempt("95", completed), child()], "99"));
  });

  test("it is told which task decides", () => {
    const tasks = [task(0, completed), task(1, { ...running, jobName: "sweep" }), task(2, running), task(3, failed)];
    expect(why([...tasks, waiting("99", "95", "95:on_failure")], "99")).toBe(
      "never: of the 4 tasks of job 95, 95_3 ended as FAILED\nclosed: of the 4 tasks of job 95, 95_1 is running, and 1 more like it",
    );
  });

  test("by its name it is the whole array, too; by the name of a task, that task", () => {
    const tasks = [task(0, { ...completed, jobName: "sweep" }), task(1, { ...running, jobName: "sweep" })];
    expect(show([...tasks, waiting("99", "name:sweep")], "99")).toBe("closed");
    expect(show([...tasks, waiting("99", "95_0")], "99")).toBe("open");
  });

  test("an array that was issued the ID of an earlier one does not have the earlier one's tasks", () => {
    const again = { incarnation: 1, submitAt: t0 + 50_000 };
    const tasks = [
      ...given(failed, failed, failed),
      { ...task(0, { ...completed, ...again }), heimdallJobId: "95_0-0@later" },
      task(3, { ...completed, submitAt: t0 + 50_000 }),
    ];
    expect(show([...tasks, waiting("99", "95")], "99")).toBe("open");
  });

  test("a task about which somebody is about to decide is said to pass", () => {
    const tasks = [task(0, completed), task(1, { ...completed, isDecided: false }), task(2, running)];
    expect(gatesOf([...tasks, waiting("99", "95")]).get("99-0")).toMatchObject([{ state: "closed", isPassing: true }]);
    expect(gatesOf([tasks[0]!, tasks[2]!, waiting("99", "95")]).get("99-0")?.[0]).not.toHaveProperty("isPassing");
  });

  test("a task that waits for its own array waits for itself", () => {
    expect(why([{ ...waiting("95_0", "95"), submitAt: t0 }, task(1)], "95_0")).toBe("refused: job 95 waits for itself");
  });

  test("in any array the gates follow from its tasks' own, whatever their order", () => {
    const course = fc.constantFrom({}, running, completed, failed, requeued);
    fc.assert(
      fc.property(fc.array(course, { minLength: 1, maxLength: 5 }), (courses) => {
        const of = (gate: number) => courses.map((c) => show([task(0, c), child("95_0")], "99").split(" ")[gate]);
        const [success, failure, completion, start] = show([...given(...courses), child()], "99").split(" ");
        const all = (gate: number, state: string) => of(gate).every((one) => one === state);
        expect(success === "open").toBe(all(0, "open"));
        expect(success === "never").toBe(of(0).includes("never"));
        expect(completion === "open").toBe(all(2, "open"));
        expect(failure === "open").toBe(completion === "open" && of(1).includes("open"));
        expect(start === "open").toBe(all(3, "open"));
      }),
    );
  });
});

describe("cycles", () => {
  test("a job that names itself is refused, also by its name", () => {
    expect(why([waiting("9", "9")], "9")).toBe("refused: job 9 waits for itself");
    expect(why([{ ...waiting("9", "name:train"), jobName: "train" }], "9")).toBe(
      "refused: job 9 (train) waits for itself",
    );
  });

  test("each job on a cycle says the way round from itself; who waits for them waits on", () => {
    const jobs = [
      waiting("1", "3"),
      waiting("2", "1"),
      waiting("3", "2", "5"),
      waiting("4", "3"),
      attempt("5", completed),
    ];
    expect(why(jobs, "1")).toBe("refused: the jobs wait for each other: 1 → 3 → 2 → 1");
    expect(why(jobs, "3")).toBe("refused: the jobs wait for each other: 3 → 2 → 1 → 3\nopen: job 5 ended as COMPLETED");
    expect(why(jobs, "4")).toBe("closed: job 3 has not started");
  });

  test("a cycle that somebody broke by releasing a job is none", () => {
    expect(show([{ ...waiting("1", "2"), ...running }, waiting("2", "1:on_start")], "2")).toBe("open");
  });

  test("a diamond is no cycle", () => {
    const jobs = [attempt("1", completed), waiting("2", "1"), waiting("3", "1"), waiting("4", "2", "3")];
    expect(["2", "3", "4"].map((id) => show(jobs, id))).toEqual(["open", "open", "closed closed"]);
  });

  test("of a long way both ends are told", () => {
    const ring = Array.from({ length: 1_000 }, (_, i) => waiting(String(i), String((i + 1) % 1_000)));
    expect(why(ring, "7")).toBe(
      "refused: the jobs wait for each other: 7 → 8 → 9 → 10 → 11 → 12 → … (989 more) → 2 → 3 → 4 → 5 → 6 → 7",
    );
  });

  test("in any graph exactly the jobs that can reach themselves are refused, and no gate of a queued parent is open", () => {
    const edges = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(edges, (parents) => {
        const jobs = parents.map((to, i) => waiting(String(i), ...to.map(String)));
        const gates = gatesOf(jobs);
        for (const [i, to] of parents.entries()) {
          if (to.length === 0) continue;
          const states = gates.get(`${i}-0`)?.map(({ state }) => state) ?? [];
          expect(states).not.toContain("open");
          expect(states.includes("refused")).toBe(reaches(parents, i, i));
        }
      }),
    );
  });
});

/** Slow and plain: every way of at most as many steps as there are jobs. */
function reaches(parents: readonly (readonly number[])[], from: number, to: number): boolean {
  let at = new Set(parents[from]);
  for (let step = 0; step < parents.length; step++) {
    if (at.has(to)) return true;
    at = new Set([...at].flatMap((job) => [job, ...(parents[job] ?? [])]));
  }
  return at.has(to);
}

test("dependencies of the example read as they are written", () => {
  expect([dependency("12"), dependency("name:train:on_start")]).toEqual([
    { jobId: "12", trigger: "on_success" },
    { jobName: "train", trigger: "on_start" },
  ]);
});
