/**
 * Goal    a pass is whole or it is unavailable; a squeue that does not know a column is asked without it, once.
 * Method  recorded answers of 22.05.8, given by a runner that ends their rows with the mark that was asked for.
 */
import { readFileSync } from "node:fs";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { describe, expect, test } from "vitest";
import { columns as allColumns, outlineColumns, splitRows } from "../squeue-columns.ts";
import { createLook } from "./look.ts";
import type { Ran, Runner } from "./run.ts";

const sample = (name: string) => readFileSync(new URL(`../testdata/22.05.8/${name}`, import.meta.url), "utf8");
type Recorded = "jobs" | "excluded" | "nodes" | "config" | "reservations";
type Listing = Recorded | "outline";
const texts: Record<Recorded, string> = {
  jobs: sample("squeue.txt"),
  excluded: sample("excluded.txt"),
  nodes: sample("sinfo.txt"),
  config: "ClusterName = lab\nSLURM_VERSION = 22.05.8\nBOOT_TIME = 1796036774\n",
  reservations: "ReservationName=kept StartTime=now Nodes=n[2-3] NodeCnt=2 Users=root State=ACTIVE \n",
};
const listingOf = (program: string, args: readonly string[]): Listing => {
  if (program === "scontrol") return args.includes("config") ? "config" : "reservations";
  if (program === "sinfo") return "nodes";
  if (!args.includes("-O")) return "excluded";
  return args.at(-1)?.includes("restartcnt") === true && !args.at(-1)?.includes("Comment") ? "outline" : "jobs";
};
const good = (stdout: string): Ran => ({ rc: 0, stdout, stderr: "", timedOut: false });

/** The columns of the outline, from the rows of the whole listing. */
function outlineText(): string {
  const asked = allColumns.filter((column) => !unknownColumns.includes(column));
  const rows = splitRows(texts.jobs, "mark") ?? [];
  return rows
    .map((row) => `${outlineColumns.map((column) => row[asked.indexOf(column)]).join("\x1fmark")}\x1emark\n`)
    .join("");
}

/** What 22.05 does not know; and what was not asked for when the answers were recorded. */
const unknownColumns = [
  "ExcNodes",
  "Reservation",
  "Feature",
  "MinCpus",
  "MinMemory",
  "tres-per-task",
  "tres-per-socket",
  "SLUID",
];

/** A cluster of 22.05. `change` says how one listing goes wrong. */
function world(change: Partial<Record<Listing, (answer: Ran) => Ran>> = {}) {
  const asked: string[] = [];
  const life = fakeLife();
  const run: Runner = async (program, args) => {
    const format = args.at(-1) ?? "";
    const listing = listingOf(program, args);
    asked.push(listing);
    const unknown = listing === "jobs" ? unknownColumns.filter((column) => format.includes(`${column}:`)) : [];
    if (unknown.length > 0) {
      const stderr = unknown.map((column) => `squeue: error: Invalid job format specification: ${column}\n`).join("");
      return { ...good("whatever"), stderr };
    }
    const mark = /\x1e(\w+)$/.exec(format)?.[1] ?? "";
    if (listing === "outline") {
      const said = (change[listing] ?? ((answer) => answer))(good(outlineText()));
      return { ...said, stdout: said.stdout.replaceAll(/([\x1e\x1f])mark/g, `$1${mark}`) };
    }
    return (change[listing] ?? ((answer) => answer))(good(texts[listing].replaceAll(/([\x1e\x1f])mark/g, `$1${mark}`)));
  };
  const look = createLook({ run, clock: life.clock, chance: life.chance, log: life.log, env: {}, cluster: "lab" });
  return { look, asked, life };
}

test("a pass shows all jobs and nodes, and when it was begun", async () => {
  const { look, life } = world();
  const seen = await look();
  if (seen.kind !== "seen") throw new Error(seen.kind);
  expect(seen.at).toBe(life.clock.now());
  expect(seen.value.cluster).toBe("lab");
  expect([seen.value.jobs.size, seen.value.nodes.size]).toEqual([21, 4]);
  expect(seen.value.jobs.get("1")).toMatchObject({ restartCount: 1, excludedNodes: ["n1", "n3"], exitCode: 7 });
  // It tries to forge a row for job 1.
  expect(seen.value.jobs.get("12")?.comment).toBe("evil\x1f2\x1e\n1\x1f1\x1fN/A\x1fFAILED");
  expect(seen.value.unreadable.size).toBe(0);
});

test("at rest one short listing is asked for, and it shows what was seen; it may fail as any other", async () => {
  let cut = 0;
  const { look, asked } = world({ outline: (answer) => ({ ...answer, stdout: answer.stdout.slice(cut) }) });
  const [first] = [await look("at-rest"), await look("at-rest")];
  asked.length = 0;
  const rested = await look("at-rest");
  expect(asked).toEqual(["outline"]);
  if (first.kind !== "seen" || rested.kind !== "seen") throw new Error("Slurm was not seen");
  expect(rested.value.isAtRest).toBe(true);
  expect(rested.value.jobs).toBe(first.value.jobs);
  cut = 1; // The first row is another.
  asked.length = 0;
  expect(await look("at-rest")).toMatchObject({ kind: "seen", value: { jobs: first.value.jobs } });
  expect(asked).toContain("excluded");
  const ends = world({ outline: (answer) => ({ ...answer, stdout: answer.stdout.slice(0, -3) }) });
  for (const how of ["whole", "whole"] as const) await ends.look(how);
  expect(await ends.look("at-rest")).toMatchObject({ kind: "unavailable", why: "the outline of the jobs was cut" });
});

test("reservations that cannot be read stay as they were known, and stop nothing", async () => {
  let isHidden = true;
  const denied: Ran = {
    rc: 1,
    stdout: "",
    stderr: "slurm_load_reservations error: Access/permission denied",
    timedOut: false,
  };
  const { look, life } = world({ reservations: (answer) => (isHidden ? denied : answer) });
  const ofN2 = async () => {
    const seen = await look();
    return seen.kind === "seen" ? seen.value.nodes.get("n2")?.reservations : seen;
  };
  expect(await ofN2()).toBeUndefined();
  isHidden = false;
  expect(await ofN2()).toEqual(["kept"]);
  isHidden = true;
  expect([await ofN2(), await ofN2()]).toEqual([["kept"], ["kept"]]);
  expect(life.lines.filter(({ fields }) => "why" in fields)).toHaveLength(2);
});

test("the columns that this squeue does not know are found out once, and noted", async () => {
  const { look, asked, life } = world();
  await look();
  await look();
  expect(asked.filter((listing) => listing === "jobs")).toHaveLength(3);
  expect(life.lines).toEqual([expect.objectContaining({ level: "info", fields: { columns: unknownColumns } })]);
});

test("after a pass that failed they are found out again: Slurm may be another release", async () => {
  let isDown = false;
  const { look, asked } = world({
    jobs: (answer) => (isDown ? { rc: 1, stdout: "", stderr: "connect failure", timedOut: false } : answer),
  });
  await look();
  isDown = true;
  expect((await look()).kind).toBe("unavailable");
  isDown = false;
  asked.length = 0;
  expect((await look()).kind).toBe("seen");
  expect(asked.filter((listing) => listing === "jobs")).toHaveLength(2);
});

test("a pass tells which Slurm it is of; where that cannot be read, the jobs still count", async () => {
  const { look } = world();
  expect(await look()).toMatchObject({
    value: { settings: { version: "22.05.8", requeueDelayMs: 121_000, bootedAt: 1_796_036_774_000 } },
  });
  const seen = await world({ config: () => ({ rc: 1, stdout: "", stderr: "no", timedOut: false }) }).look();
  expect(seen).toMatchObject({ kind: "seen" });
  expect(seen.kind === "seen" && "settings" in seen.value).toBe(false);
});

describe("a pass is unavailable, never empty", () => {
  const ways: [what: string, listing: Listing, change: (answer: Ran) => Ran, why: RegExp][] = [
    [
      "when the jobs failed",
      "jobs",
      () => ({
        rc: 1,
        stdout: "",
        stderr: "slurm_load_jobs error: Unable to contact slurm controller",
        timedOut: false,
      }),
      /Unable to contact/,
    ],
    [
      "when the jobs had an error",
      "jobs",
      () => ({ ...good(""), stderr: "squeue: error: slurm_receive_msg: Socket timed out" }),
      /Socket timed out/,
    ],
    [
      "when the jobs took too long",
      "jobs",
      () => ({ stdout: "", stderr: "", timedOut: true }),
      /no answer within the limit/,
    ],
    ["when the jobs were cut", "jobs", (answer) => ({ ...answer, stdout: answer.stdout.slice(0, -3) }), /was cut/],
    [
      "when the exclusions failed",
      "excluded",
      () => ({ rc: 1, stdout: "", stderr: "no", timedOut: false }),
      /rc 1: no/,
    ],
    ["when the nodes failed", "nodes", () => ({ rc: 1, stdout: "", stderr: "no", timedOut: false }), /rc 1: no/],
    ["when there are no nodes", "nodes", (answer) => ({ ...answer, stdout: "" }), /sinfo listed no node/],
    [
      "when squeue is not there",
      "jobs",
      () => ({ stdout: "", stderr: "squeue: spawn squeue ENOENT", timedOut: false }),
      /ENOENT/,
    ],
  ];
  test.each(ways)("%s", async (_what, listing, change, why) => {
    const { look } = world({ [listing]: change });
    expect(await look()).toMatchObject({ kind: "unavailable", why: expect.stringMatching(why) });
  });

  test("when exclusions were cut, no job is read without them", async () => {
    const { look } = world({ excluded: (answer) => ({ ...answer, stdout: answer.stdout.slice(0, -3) }) });
    expect((await look()).kind).toBe("unavailable");
  });

  test("when a column is missing without which no job can be read", async () => {
    const { look } = world({
      jobs: () => ({ ...good(""), stderr: "squeue: error: Invalid job format specification: restartcnt" }),
    });
    expect(await look()).toMatchObject({
      kind: "unavailable",
      why: "squeue has no column restartcnt, without which no job can be read",
    });
  });

  test("when squeue complains of a column that it was not asked for", async () => {
    const { look } = world({
      jobs: () => ({ ...good(""), stderr: "squeue: error: Invalid job format specification: Foo" }),
    });
    expect((await look()).kind).toBe("unavailable");
  });
});
