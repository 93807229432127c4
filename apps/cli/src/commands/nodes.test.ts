/**
 * Goal    a person sees at once which node to drain, and by what it is suspected.
 * Method  a small HTTP server that answers as the real one does. Golden files.
 */
import { expect, test } from "vitest";
import { serverWorld } from "../testing/server-world.ts";
import { define } from "./nodes.ts";

const statement = (jobId: string, at: string, cause: string, counts = true) => ({
  heimdallJobId: `u-${jobId}`,
  jobId,
  attemptIndex: 0,
  cause,
  causeClass: "hardware-node",
  domain: "hardware",
  at,
  expiresAt: "2030-02-28T12:00:00Z",
  confidence: 0.88,
  counts,
  evidence: {
    source: "log",
    line: "NVRM: Xid (PCI:0000:4e:00): 79, GPU has fallen off the bus",
    path: `/logs/${jobId}.out`,
    offset: "4096",
    at,
  },
});
const exclusion = (jobId: string, reason: string, active = false) => ({
  heimdallJobId: `u-${jobId}`,
  jobId,
  attemptIndex: 1,
  generation: "2",
  reason,
  confidence: 0.9,
  expiresAt: "2030-02-01T12:00:00Z",
  active,
});
const lemon = {
  node: "gpu-17",
  state: "mixed",
  eligible: true,
  partitions: ["gpu"],
  verdict: "drain",
  why: "5 failures, an equal share is 0.2; by chance under 0.01 %",
  confidence: 0.987,
  failures: 5,
  expected: 0.2,
  chance: 0.00004,
  accused: true,
  until: "2030-02-28T12:00:00Z",
  evidence: [
    statement("4711", "2030-01-31T12:00:00Z", "xid-79"),
    statement("4650", "2030-01-29T03:00:00Z", "cuda-ecc-uncorrectable"),
    statement("4602", "2030-01-20T03:00:00Z", "rank-behind", false),
  ],
  excludedBy: [exclusion("4711", "xid-79", true), exclusion("4720", "fails-different-jobs")],
};
const link = {
  ...lemon,
  node: "gpu-3",
  verdict: "watch",
  why: "ib-completion, once",
  confidence: 0.3,
  failures: 1,
  chance: 1,
  accused: false,
  excludedBy: [],
};
const away = { ...link, node: "gpu-9", state: "drained", verdict: "out", why: "xid-79, once", confidence: 0.2 };
const answers = { "/reprise/v1/nodes": { nodes: [lemon, link, away], count: 3, leftOut: 2 } };

test("the node to drain comes first, with the command that drains it", async () => {
  const { asked, call } = await serverWorld(answers);
  await expect(await call(define)).toMatchFileSnapshot("testdata/nodes.txt");
  expect(asked.map(([ask]) => ask)).toEqual(["GET /reprise/v1/nodes?limit=50"]);
  expect(JSON.parse(await call(define, "--json"))).toEqual(answers["/reprise/v1/nodes"]);
});

test("one node is shown with every line against it, and who avoids it", async () => {
  const { asked, call } = await serverWorld({ "/reprise/v1/nodes": { nodes: [lemon], count: 1, leftOut: 0 } });
  await expect(await call(define, "gpu-17", "--cluster", "c1")).toMatchFileSnapshot("testdata/node.txt");
  expect(asked.map(([ask]) => ask)).toEqual(["GET /reprise/v1/nodes?cluster=c1&node=gpu-17&limit=50"]);
});

test("where nothing is said there is no table, and a node that nobody knows is said to be unknown", async () => {
  const { call } = await serverWorld({ "/reprise/v1/nodes": { nodes: [], count: 0, leftOut: 0 } });
  expect(await call(define)).toBe("No node is suspected, and no advice avoids one.\n");
  const { call: unknown } = await serverWorld({});
  await expect(unknown(define, "gpu-99")).rejects.toThrow("not known");
});

test("a node is repaired for a stated reason, and what counts no more is shown", async () => {
  const [newest, ...others] = lemon.evidence;
  const standing = {
    ...lemon,
    verdict: "clear",
    why: "nothing is said against it",
    confidence: 0,
    evidence: [{ ...newest, cleared: true, counts: false, confidence: 0 }, ...others],
    cleared: { at: "2030-02-01T10:00:00Z", by: "ada", reason: "GPU 3 was replaced" },
  };
  const answer = { standing, ended: 3 };
  const { asked, call } = await serverWorld({ "/reprise/v1/nodes/gpu-17/clear": answer });
  const shown = await call(define, "clear", "gpu-17", "--reason", " GPU 3 was replaced ", "--cluster", "c1");
  await expect(shown).toMatchFileSnapshot("testdata/node-cleared.txt");
  const body = { reason: "GPU 3 was replaced", cluster: "c1" };
  expect(asked).toEqual([["POST /reprise/v1/nodes/gpu-17/clear", body]]);
  expect(JSON.parse(await call(define, "clear", "gpu-17", "--reason", "x", "--json"))).toEqual(answer);
});

test("nobody repairs a node without saying why", async () => {
  const { asked, call } = await serverWorld({});
  await expect(call(define, "clear", "gpu-17")).rejects.toMatchObject({ name: "CommanderError" });
  expect(asked).toEqual([]);
});
