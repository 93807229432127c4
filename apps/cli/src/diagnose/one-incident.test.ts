/**
 * Goal    G03: hundreds of ranks, several files and a node's own log that speak of one event are one incident and one Advice, in whatever order
 *         they are heard; its root is shown, and the rest is folded under it.
 * Method  512 ranks on 64 nodes write into four files; the real reader, store, decide loop and `Explain`. A table of events, each told in
 *         the order of its lines, and then in shuffled batches.
 */
import { fileURLToPath } from "node:url";
import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExplainRequestSchema, ExplainResponseSchema } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { writeJson } from "@reprise/protocol/transcode.ts";
import { decideOnce } from "@reprise/server/manager/loops/decide-once.ts";
import { recoveryRoutes } from "@reprise/server/manager/routes/recovery.ts";
import { createMemoryStore } from "@reprise/server/manager/store/memory/memory-store.ts";
import { noon, report } from "@reprise/server/manager/store/testing/world.ts";
import { type ReadLine, readAttempt } from "@reprise/watcher/cases/read-attempt.ts";
import { createMatcher } from "@reprise/watcher/match/matcher.ts";
import { loadSignatures } from "@reprise/watcher/match/pack-files.ts";
import type { ReportedSignal } from "@reprise/watcher/server.ts";
import type { WireExplain } from "../wire.ts";

const matcher = createMatcher(loadSignatures([fileURLToPath(new URL("../../../../signatures", import.meta.url))]));
const [ranks, perNode, files] = [512, 8, 4];
const nodes = Array.from({ length: ranks / perNode }, (_, i) => `node-${String(i).padStart(2, "0")}`);
const s = 1_000;
const everyRank = Array.from({ length: ranks }, (_, rank) => rank);

type Line = readonly [second: number, text: string, where?: { readonly rank: number } | { readonly node: string }];

const ecc = "CUDA error: uncorrectable ECC error encountered";
const timeout = (rank: number, second: number): Line => [
  second + rank / 1000,
  `[rank${rank}]:[E] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=48, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600017 milliseconds before timing out.`,
  { rank },
];
const reset = (rank: number, second: number): Line => [
  second + rank / 1000,
  `[rank${rank}]: RuntimeError: Connection reset by peer`,
  { rank },
];
const others = everyRank.filter((rank) => rank !== 297);
const xid: Line = [100.2, "NVRM: Xid (PCI:0000:4e:00): 79, pid=3201, GPU has fallen off the bus.", { node: "node-37" }];

interface Event {
  readonly lines: readonly Line[];
  readonly root: string;
  /** Nodes to keep away from. */
  readonly without: readonly string[];
  /** Causes folded under the root, as kind and cause, without their counts. */
  readonly with: readonly string[];
}

const events: Readonly<Record<string, Event>> = {
  "a rank's GPU loses data; all others lose contact, and wait": {
    lines: [
      [100, `[rank297]: RuntimeError: ${ecc}`, { rank: 297 }],
      ...others.map((rank) => reset(rank, 100.5)),
      ...others.map((rank) => timeout(rank, 101)),
    ],
    root: ecc,
    without: ["node-37"],
    with: ["crash peer-gone", "hang nccl-watchdog-timeout"],
  },
  "a GPU falls off the bus, which only the node's own log says; all ranks wait": {
    lines: [xid, ...everyRank.map((rank) => timeout(rank, 100.5))],
    root: "fallen off the bus",
    without: ["node-37"],
    with: ["hang nccl-watchdog-timeout"],
  },
  "all ranks time out, and only then the node's log says why": {
    lines: [...everyRank.map((rank) => timeout(rank, 90)), xid],
    root: "fallen off the bus",
    without: ["node-37"],
    with: ["hang nccl-watchdog-timeout"],
  },
  "the same exception in every rank": {
    lines: everyRank.map((rank) => [100 + rank / 1000, `[rank${rank}]: ValueError: bad shape`, { rank }] as const),
    root: "ValueError: bad shape",
    without: [],
    with: ["crash python-exception-alone"],
  },
};

function signalsOf(event: Event, heimdallJobId: string): readonly ReportedSignal[] {
  const steps = Array.from({ length: 40 }, (_, n): Line => [2 * n, ` iteration ${n}/ 1000 | elapsed (ms): 2000.0`]);
  const offsets = new Map<string, number>();
  const lines = [...steps, ...event.lines]
    .toSorted(([a], [b]) => a - b)
    .map(([second, text, where = { rank: 0 }]): ReadLine => {
      const path = "node" in where ? `/nodes/${where.node}` : `/logs/ranks-${where.rank % files}.log`;
      const bytes = new TextEncoder().encode(text);
      const offset = offsets.get(path) ?? 0;
      offsets.set(path, offset + bytes.length + 1);
      return { at: noon + second * s, bytes, offset, path, ...("node" in where ? { node: where.node } : {}) };
    });
  return readAttempt({ heimdallJobId, attemptIndex: 0, nodes, gpuCountPerNode: perNode }, matcher, lines, {
    startedAt: noon,
  });
}

/** @param inOrder How the batches of signals come. All of them are there before the silence has lasted. */
async function happened(event: Event, inOrder: (batches: readonly (readonly ReportedSignal[])[]) => typeof batches) {
  const store = createMemoryStore();
  let now = noon + 110 * s;
  const clock = { now: () => now, elapsed: () => now, sleep: () => Promise.resolve() };
  const manager = { store, clock, site: { cluster: "default" } };
  const quiet = { debug() {}, info() {}, warn() {}, error() {} };
  const job = await store.upsertJob(report("1", 0, { nodes, gpuCountPerNode: perNode }), noon);
  const signals = signalsOf(event, job.heimdallJobId);
  const told = (batch: readonly ReportedSignal[], readAt: number) =>
    store.recordSignals(
      {
        reporter: "w",
        signals: batch,
        positions: [
          {
            heimdallJobId: job.heimdallJobId,
            path: "/logs/o",
            device: "",
            inode: "",
            offset: 0,
            start: 0,
            ended: false,
            readAt,
          },
        ],
      },
      now,
    );
  const decide = async () => {
    for (let more = true; more; ) more = await decideOnce(manager, quiet);
  };
  const batches = Array.from({ length: Math.ceil(signals.length / 50) }, (_, i) => signals.slice(50 * i, 50 * (i + 1)));
  for (const batch of inOrder(batches)) {
    await told(batch, now);
    await decide();
  }
  now += 60 * s;
  await told([], now);
  await store.upsertJob(report("1", 0, { status: "FAILED", jmState: "FAILED" }), now);
  now += 10 * s;
  await decide();
  const caller = { name: "test", signal: new AbortController().signal };
  const answer = await recoveryRoutes(manager).explain(create(ExplainRequestSchema, { jobId: "1" }), caller);
  const written = writeJson(ExplainResponseSchema, create(ExplainResponseSchema, answer));
  return { signals, story: (JSON.parse(written) as WireExplain).attempts?.[0] ?? {} };
}

function expectOne(event: Event, { story }: Awaited<ReturnType<typeof happened>>): void {
  const { advice = [], incident = {} } = story;
  expect(advice).toHaveLength(1);
  expect(advice[0]).toMatchObject({ generation: "1", desiredState: "ADVICE_DESIRED_STATE_RESTARTED" });
  expect(advice[0]?.nodeConstraints?.exclusions ?? []).toEqual(event.without);
  expect(incident.root?.evidence?.line).toContain(event.root);
  expect((incident.consequences ?? []).map(({ kind, cause }) => `${kind} ${cause}`)).toEqual(event.with);
  expect(incident.survived).toEqual([]);
}

describe.each(Object.entries(events))("%s", (_name, event) => {
  test("is one incident and one Advice, with the rest folded under its root", async () => {
    const seen = await happened(event, (batches) => batches);
    expectOne(event, seen);
    const [group] = seen.story.incident?.consequences ?? [];
    expect(group?.ranks).toBeGreaterThan(60);
    expect(group?.paths).toHaveLength(files);
    expect(seen.signals.length, "not every rank is told of").toBeLessThan(300);
  });

  test("in whatever order its lines are heard", async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1_000_000)), async (lots) => {
        const shuffled = (batches: readonly (readonly ReportedSignal[])[]) =>
          batches
            .map((batch) => [lots.next().value, batch] as const)
            .toSorted(([a], [b]) => a - b)
            .map(([, batch]) => batch);
        expectOne(event, await happened(event, shuffled));
      }),
      { numRuns: 5 },
    );
  });
});
