/**
 * Goal    a line of a node's log concerns exactly the attempts that were there when it was written.
 * Method  a table of times, in seconds since the attempt began; it ended at 100 where nothing else is said.
 */
import { expect, test } from "vitest";
import { noon, s } from "../testing/world.ts";
import { awaitedBy, linesConcerning, type Resident } from "./node-window.ts";

const resident = (id: string, from: number, to: number | undefined, change: Partial<Resident> = {}): Resident => ({
  heimdallJobId: id,
  nodes: ["n1", "n2"],
  status: to === undefined ? "RUNNING" : "FAILED",
  startedAt: noon + from * s + 400,
  ...(to === undefined ? {} : { endedAt: noon + to * s + 400 }),
  schedulerMetadata: {
    slurm: { startTime: new Date(noon + from * s).toISOString(), endTime: noon + (to ?? 86_400) * s },
  },
  lastSeenAt: noon + (to ?? 86_400) * s,
  isListed: false,
  ...change,
});
const line = (at: number, node = "n1") => ({ node, at: noon + at * s, line: "NVRM: Xid", key: `${node} ${at}` });
const ended = resident("a", 0, 100);
/** Slurm listed it at 60, and its end was not seen: it was missed, or requeued, by 100. */
const runs = resident("a", 0, undefined, { isListed: true, lastSeenAt: noon + 60 * s });
/** As `runs`, but for a state that is no word of Slurm's; the end that Slurm shows lies before the look. */
const unread = resident("a", 0, 40, {
  ...runs,
  schedulerMetadata: { slurm: { startTime: new Date(noon).toISOString(), endTime: noon + 40 * s } },
});
/** As `runs`, but it is leaving its nodes. */
const leaving = resident("a", 0, undefined, {
  ...runs,
  schedulerMetadata: { slurm: { startTime: new Date(noon).toISOString(), slurmState: "COMPLETING" } },
});
const unseen = (status: Resident["status"]) =>
  resident("a", 0, 100, {
    status,
    lastSeenAt: noon + 60 * s,
    schedulerMetadata: { slurm: { startTime: new Date(noon).toISOString() } },
  });
const [requeued, gone] = [unseen("STOPPED"), unseen("DELETED")];
const said = (attempt: Resident, at: number, neighbours: Resident[] = [], node = "n1") => {
  const [one] = linesConcerning(attempt, [line(at, node)], [attempt, ...neighbours]);
  return one === undefined ? "nobody" : one.isShared ? "shared" : "its own";
};

// biome-ignore format: a table is read by its columns
const cases: [story: string, attempt: Resident, at: number, whose: string, neighbours?: Resident[], node?: string][] = [
  ["while it ran",                                  ended, 50, "its own"],
  ["on its other node",                             ended, 50, "its own", [], "n2"],
  ["on a node that is not its own",                 ended, 50, "nobody", [], "n3"],
  ["before it began",                               ended, -1, "nobody"],
  ["in the second of its start",                    ended, 0.9, "nobody"],
  ["right after its end",                           ended, 108, "its own"],
  ["long after its end",                            ended, 111, "nobody"],
  ["right after its end, and another is there",     ended, 108, "nobody", [resident("b", 105, undefined)]],
  ["while another job shares the node",             ended, 50, "shared", [resident("b", 20, undefined)]],
  ["the other one came later",                      ended, 50, "its own", [resident("b", 60, undefined)]],
  ["the other one had left",                        ended, 50, "its own", [resident("b", -50, 40)]],
  ["the other one is elsewhere",                    ended, 50, "its own", [resident("b", 0, undefined, { nodes: ["n2"] })]],
  ["it runs, and its end is only Slurm's limit",    resident("a", 0, undefined), 200_000, "its own"],
  ["before the last look at Slurm, which lists it", runs, 60, "its own"],
  ["from after the last look at Slurm",             runs, 61, "nobody"],
  ["after an end in a state that nobody can read",  unread, 50, "its own"],
  ["…long after it",                                unread, 51, "nobody"],
  ["while it leaves",                               leaving, 50, "its own"],
  ["…and another is there",                         leaving, 50, "nobody", [resident("b", 40, undefined)]],
  ["and after that end another is there",           unread, 50, "nobody", [resident("b", 45, undefined)]],
  ["and another one is not known to have left",     ended, 50, "shared", [{ ...runs, heimdallJobId: "b" }]],
  ["between its last look and its requeue",         requeued, 80, "its own"],
  ["right after its requeue",                       requeued, 108, "its own"],
  ["before its requeue, and another came meanwhile", requeued, 80, "nobody", [resident("b", 70, undefined)]],
  ["before its last look, beside another",          requeued, 50, "shared", [resident("b", 40, undefined)]],
  ["right after it was seen last, and it is gone",  gone, 69, "its own"],
  ["long after it was seen last, and it is gone",   gone, 71, "nobody"],
  ["while another may have been there still",       ended, 80, "shared", [{ ...gone, heimdallJobId: "b" }]],
  ["it has never started",                          { ...resident("a", 0, undefined), startedAt: undefined } as unknown as Resident, 50, "nobody"],
];

test.each(cases)("a line %s", (_, attempt, at, whose, neighbours = [], node = "n1") =>
  expect(said(attempt, at, neighbours, node)).toBe(whose),
);

test("of very many lines the earliest are told", () => {
  const lines = Array.from({ length: 300 }, (_, i) => line(99 - i * 0.1));
  const told = linesConcerning(ended, lines, []);
  expect(told).toHaveLength(200);
  expect(told[0]?.at).toBe(lines.at(-1)?.at);
});

test("a look at Slurm is awaited by the lines that it shows to be an attempt's own, once", () => {
  const others = [
    resident("b", 0, undefined),
    resident("c", 0, undefined, { isListed: true, lastSeenAt: noon + 80 * s }),
  ];
  const awaited = (at: number) =>
    awaitedBy([line(70)], [runs, ended, ...others], noon + at * s).map((a) => a.heimdallJobId);
  expect([awaited(69), awaited(70), awaited(90)]).toEqual([[], ["a"], ["a"]]);
});
