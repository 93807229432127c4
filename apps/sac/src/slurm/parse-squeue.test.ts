/**
 * Goal    what real squeues print reads as it should, and nothing a user writes changes a row.
 * Method  golden samples of both releases; rows with any text in the columns that users own.
 */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KnownRows } from "./known-rows.ts";
import { type ExcludedOf, parseExcluded, parseSqueue } from "./parse-squeue.ts";
import { type Column, columns, squeueFormat, unknownColumns, withoutUnknown } from "./squeue-columns.ts";

const sample = (name: string) => readFileSync(new URL(`testdata/${name}`, import.meta.url), "utf8");
const old = columns.filter((column) => column !== "ExcNodes" && column !== "SLUID");
/** The samples were taken before it was asked for. */
const later: ReadonlySet<string> = new Set([
  "Reservation",
  "Feature",
  "MinCpus",
  "MinMemory",
  "tres-per-task",
  "tres-per-socket",
]);
const without = (asked: readonly Column[]) => asked.filter((column) => !later.has(column));

describe("golden samples", () => {
  test("22.05.8 reads as in squeue.golden.json", async () => {
    const excluded = parseExcluded(sample("22.05.8/excluded.txt"), "mark");
    const listing = parseSqueue(sample("22.05.8/squeue.txt"), without(old), "mark", excluded);
    await expect(asJson(listing)).toMatchFileSnapshot("testdata/22.05.8/squeue.golden.json");
  });

  test("25.11.7 reads as in squeue.golden.json", async () => {
    const listing = parseSqueue(sample("25.11.7/squeue.txt"), without(columns), "mark");
    await expect(asJson(listing)).toMatchFileSnapshot("testdata/25.11.7/squeue.golden.json");
  });
});

describe("a listing that is not whole", () => {
  const whole = sample("22.05.8/squeue.txt");

  test("cut anywhere, it is broken, or ends behind a whole row", () => {
    fc.assert(
      fc.property(fc.nat(whole.length), (at) => {
        const cut = whole.slice(0, at);
        const kind = parseSqueue(cut, without(old), "mark", new Map()).kind;
        expect(kind).toBe(cut === "" || cut.endsWith("\x1emark\n") ? "listing" : "broken");
      }),
    );
  });

  test("no job at all is an empty listing", () => {
    expect(parseSqueue("", columns, "mark")).toMatchObject({ kind: "listing", jobs: new Map(), unreadable: new Map() });
  });

  test("a task list where one task should stand breaks the whole pass: whose row it is cannot be said", () => {
    const listing = parseSqueue(row({ JobID: "95", ArrayJobID: "95", ArrayTaskID: "[0-3]" }), columns, "mark");
    expect(listing).toEqual({ kind: "broken", why: 'a row without a readable job ID: "95 95 [0-3]"' });
  });
});

const unreadable: [what: string, change: Partial<Record<Column, string>>, why: string][] = [
  ["a count that is no number", { restartcnt: "two" }, 'restartcnt is "two"'],
  ["a time that is a date", { SubmitTime: "2026-11-29T14:57:14" }, 'SubmitTime is "2026-11-29T14:57:14"'],
  ["a time that is not set", { SubmitTime: "N/A" }, 'SubmitTime is "N/A"'],
  ["no state", { State: "" }, 'State is ""'],
  ["a host list that ends early", { NodeList: "n[1-" }, 'NodeList is "n[1-"'],
  ["an exit code of a new form", { exit_code: "SIGKILL" }, 'exit_code is "SIGKILL"'],
  ["a priority below zero", { PriorityLong: "-1" }, 'PriorityLong is "-1"'],
  ["a node count in thousands", { NumNodes: "1K" }, 'NumNodes is "1K"'],
];

/** What is text of it is kept: whose it is. */
const shown = { user: "", name: "" };

describe("a row that cannot be read", () => {
  test("keeps the text that says to which others it belongs; one of another shape says nothing", () => {
    const change = { UserName: "ada", Name: "a chain", HetJobID: "6", Dependency: "singleton(unfulfilled)" };
    const texts = row({ JobID: "7", State: "", ...change }) + row({ JobID: "8", State: "?", HetJobID: "0" });
    const short = row({ JobID: "9", ArrayTaskID: "N/A" }, ["JobID", "ArrayJobID", "ArrayTaskID"]);
    const listing = parseSqueue(texts + short, columns, "mark");
    const said = listing.kind === "listing" ? [...listing.unreadable.values()].map((one) => one.shown) : listing.why;
    const ofChain = { user: "ada", name: "a chain", hetJobId: "6", dependency: "singleton(unfulfilled)" };
    expect(said).toEqual([ofChain, shown, undefined]);
  });

  test.each(unreadable)("%s is unreadable, not gone", (_what, change, why) => {
    const listing = parseSqueue(row({ JobID: "7", ...change }) + row({ JobID: "8" }), columns, "mark");
    expect(listing).toMatchObject({ kind: "listing", unreadable: new Map([["7", { why, shown }]]) });
    expect(listing.kind === "listing" && [...listing.jobs.keys()]).toEqual(["8"]);
  });

  test("one that is listed twice is unreadable", () => {
    const listing = parseSqueue(row({ JobID: "7" }) + row({ JobID: "7", State: "FAILED" }), columns, "mark");
    expect(listing).toMatchObject({
      kind: "listing",
      jobs: new Map(),
      unreadable: new Map([["7", { why: "it is listed twice", shown }]]),
    });
  });

  test("one that was requeued between the two listings of a pass is unreadable", () => {
    const excluded: ExcludedOf = new Map([["7/N/A", { submitTime: "100", excluded: "n1" }]]);
    const text = row({ JobID: "7", SubmitTime: "200" }, old);
    expect(parseSqueue(text, old, "mark", excluded)).toMatchObject({
      unreadable: new Map([["7", { why: "it changed while it was read", shown }]]),
    });
    expect(parseSqueue(row({ JobID: "7", SubmitTime: "100" }, old), old, "mark", excluded)).toMatchObject({
      unreadable: new Map(),
    });
  });

  test("whatever users write is read as they wrote it, and no row appears, vanishes or changes by it", () => {
    const users: Column[] = ["Name", "WorkDir", "Command", "STDOUT", "STDERR", "Comment"];
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("\x1f", "\x1e", "\x1e\n8\x1f8\x1fN/A\x1fFAILED", "(null)", "\n"),
    );
    const theirs = fc.record(
      Object.fromEntries(users.map((column) => [column, anyText])) as Record<Column, fc.Arbitrary<string>>,
    );
    fc.assert(
      fc.property(theirs, (texts) => {
        const listing = parseSqueue(row(texts) + row({ JobID: "8" }), columns, "mark");
        if (listing.kind === "broken") throw new Error(listing.why);
        expect([...listing.jobs.keys()]).toEqual(["7", "8"]);
        expect(listing.jobs.get("8")).toMatchObject({ state: "RUNNING", comment: "", name: "" });
        const comment = texts.Comment === "(null)" ? "" : texts.Comment;
        expect(listing.jobs.get("7")).toMatchObject({ state: "RUNNING", name: texts.Name, comment });
      }),
    );
  });
});

test("columns that a squeue does not know are left out, unless nothing can be said without them", () => {
  const said =
    "squeue: error: Invalid job format specification: ExcNodes\nsqueue: error: Invalid job format specification: SLUID\n";
  expect(unknownColumns(said)).toEqual(["ExcNodes", "SLUID"]);
  for (const release of ["25.11.7", "26.05.3"])
    expect(unknownColumns(sample(`${release}/unknown-columns.stderr.txt`))).toEqual(["AdminComment", "Extra"]);
  expect(withoutUnknown(["ExcNodes", "sluid"])).toEqual({ kind: "columns", columns: old });
  expect(withoutUnknown(["restartcnt"])).toEqual({ kind: "missing", column: "restartcnt" });
  expect(squeueFormat(["JobID", "Comment"], "ab12")).toBe("JobID:\x1fab12,Comment:\x1eab12");
});

/** A row of a healthy running job, changed. */
function row(change: Partial<Record<Column, string>>, asked: readonly Column[] = columns): string {
  const healthy: Partial<Record<Column, string>> = {
    JobID: "7",
    ArrayTaskID: "N/A",
    State: "RUNNING",
    restartcnt: "0",
    PriorityLong: "1",
    SubmitTime: "100",
    exit_code: "0",
    NumNodes: "1",
    BatchFlag: "1",
    Requeue: "1",
  };
  return `${asked.map((column) => change[column] ?? healthy[column] ?? "").join("\x1fmark")}\x1emark\n`;
}

const asJson = (listing: object) =>
  `${JSON.stringify({ ...listing, outline: undefined }, (_key, v: unknown) => (v instanceof Map ? Object.fromEntries(v) : v), 2)}\n`;

describe("one listing after the other", () => {
  const jobsIn = (text: string, known?: KnownRows) => {
    const listing = parseSqueue(text.replaceAll("mark", "next"), columns, "next", undefined, known);
    return listing.kind === "listing" ? listing.jobs : expect.fail(listing.why);
  };
  const whole = sample("25.11.7/squeue.txt");
  const rows = whole.split(/(?<=mark\n)/);

  test("the same rows are the same jobs, by identity, whatever delimits them; and so is the listing", () => {
    const known = new KnownRows();
    const before = parseSqueue(whole, columns, "mark", undefined, known);
    expect(before.kind === "listing" && before.jobs).toBe(jobsIn(whole, known));
  });

  test("whatever was listed before, a listing reads as it does by itself", () => {
    const changed = (text: string) => text.replaceAll("PENDING", "RUNNING");
    const some = fc.subarray(rows).map((those) => those.join(""));
    const listings = fc.array(fc.oneof(some, some.map(changed), fc.constant(whole)), { maxLength: 6 });
    fc.assert(
      fc.property(listings, (texts) => {
        const known = new KnownRows();
        for (const text of texts) expect([...jobsIn(text, known)]).toEqual([...jobsIn(text)]);
      }),
      { numRuns: 30 },
    );
  });
});
