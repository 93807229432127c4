/**
 * Goal    a decision becomes durable once, about facts that still hold, and a changed mind is a new generation.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Decision } from "@reprise/core/decide/decision.ts";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { AttemptFacts } from "../../store.ts";
import {
  converged,
  crash,
  decided,
  factsOf,
  failed,
  hour,
  none,
  noon,
  pass,
  pending,
  recorded,
  report,
  restart,
  s,
  settleDecisions,
  signals,
  status,
  step,
  terminate,
  undecided,
  type Open,
} from "../testing/world.ts";

const uuidOf = ({ heimdallJobId }: AttemptRecord) => heimdallJobId;
const decisionAbout = ({ attempt, factsSeq }: AttemptFacts, decision: Decision) => {
  return { heimdallJobId: uuidOf(attempt), factsSeq, decision };
};

export function decisionContract(open: Open): void {
  test("two claimers never get the same attempt, and an unused claim ends", async () => {
    const { store, replica } = await open();
    for (let i = 0; i < 20; i++) await store.upsertJob(report(`${i}`), noon);
    const claims = await Promise.all(
      Array.from({ length: 6 }, (_, i) => (i % 2 ? store : replica).claimUndecided(4, 10 * s, noon)),
    );
    expect(claims.flat()).toHaveLength(new Set(claims.flat()).size);
    const rest = await store.claimUndecided(100, 10 * s, noon);
    expect(new Set([...claims.flat(), ...rest]).size).toBe(20);
    expect(await store.claimUndecided(100, 10 * s, noon + 9 * s)).toEqual([]);
    expect(await store.claimUndecided(100, 10 * s, noon + 10 * s)).toHaveLength(20);
  });

  test("a decided attempt is left alone until its facts change or its time has come", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, none({ reconsiderAt: noon + 5 * s }));
    expect(await undecided(store, noon + 4 * s)).toEqual([]);
    expect(await undecided(store, noon + 5 * s)).toEqual(["1-0"]);
    await decided(store, job, none());
    expect(await undecided(store, noon + hour)).toEqual([]);
    await store.recordSignals(signals(crash(job)), noon + hour);
    expect(await undecided(store, noon + hour)).toEqual(["1-0"]);
  });

  test("twenty decisions at once about the same facts give one Advice", async () => {
    const { store, replica } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const { factsSeq } = await factsOf(store, job);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => recorded(i % 2 ? store : replica, job, factsSeq, restart())),
    );
    expect(answers.map(({ kind }) => kind).sort()).toEqual(["recorded", ...Array<string>(19).fill("unchanged")]);
    expect((await store.story("default", "1"))[0]?.advice).toHaveLength(1);
  });

  test("a decision about facts that have changed since is stale, and the attempt waits to be decided again", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const [uuid] = await store.claimUndecided(1, hour, noon);
    const { factsSeq } = await factsOf(store, job);
    await store.recordSignals(signals(crash(job)), noon);
    expect(await recorded(store, { heimdallJobId: uuid! }, factsSeq, restart())).toEqual({ kind: "stale" });
    expect(await store.getAdvice(job.heimdallJobId)).toBeUndefined();
    expect((await store.story("default", "1"))[0]).not.toHaveProperty("decision");
    expect(await undecided(store, noon + s)).toEqual(["1-0"]);
  });

  test("nothing is advised about an attempt whose successor has started; while it is pending Advice is possible", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    const { factsSeq } = await factsOf(store, job);
    await store.upsertJob(report("1", 1, pending), noon);
    expect(await recorded(store, job, factsSeq, restart())).toEqual({ kind: "stale" });
    expect(await decided(store, job, restart())).toEqual({ kind: "recorded", generation: 1 });
    await store.upsertJob(report("1", 1), noon + s);
    expect(await decided(store, job, restart(["n1", "n2"]))).toEqual({ kind: "stale" });
    expect(await decided(store, job, none({ because: "overtaken", withdraw: true }))).toEqual({ kind: "unchanged" });
    expect(await store.getAdvice(job.heimdallJobId)).toMatchObject({ generation: 1 });
  });

  test("Advice never comes after the start of the successor, however the two race", async () => {
    const { store, replica } = await open();
    for (let i = 0; i < 10; i++) {
      const job = await store.upsertJob(report(`${i}`, 0, failed), noon);
      const { factsSeq } = await factsOf(store, job);
      const [answer] = await Promise.all([
        recorded(store, job, factsSeq, restart()),
        replica.upsertJob(report(`${i}`, 1), noon + s),
      ]);
      expect(answer.kind === "recorded").toBe((await store.getAdvice(job.heimdallJobId)) !== undefined);
      expect(await decided(store, job, terminate())).toEqual({ kind: "stale" });
    }
  });

  test("of a batch each decision has its own answer, in their order: one that is stale says nothing about the others", async () => {
    const { store, replica } = await open();
    const jobs = [];
    for (const jobId of ["1", "2", "3", "4"]) jobs.push(await store.upsertJob(report(jobId), noon));
    const [new1, known2, late3, idle4] = jobs as [AttemptRecord, AttemptRecord, AttemptRecord, AttemptRecord];
    await decided(store, known2, restart());
    const facts = await store.loadFacts(jobs.map(uuidOf), noon);
    await store.recordSignals(signals(crash(late3)), noon);
    const unheardOf = { heimdallJobId: "11111111-2222-4333-8444-555555555555", factsSeq: 1, decision: restart() };
    const batch = [
      ...facts.map((one) => decisionAbout(one, one.attempt.jobId === "4" ? none() : restart())),
      unheardOf,
    ];
    expect(await store.recordDecisions(batch.toReversed(), noon + s)).toEqual([
      { kind: "stale" },
      { kind: "unchanged" },
      { kind: "stale" },
      { kind: "unchanged" },
      { kind: "recorded", generation: 1 },
    ]);
    expect(await Promise.all([new1, late3, idle4].map((one) => replica.getAdvice(uuidOf(one))))).toMatchObject([
      { generation: 1, createdAt: noon + s },
      undefined,
      undefined,
    ]);
    expect(await undecided(replica, noon + s)).toEqual(["3-0"]);
  });

  test("a batch that cannot be written has written nothing, and its parts may be given again", async () => {
    const { store } = await open();
    const jobs = [await store.upsertJob(report("1"), noon), await store.upsertJob(report("2"), noon)];
    const facts = await store.loadFacts(jobs.map(uuidOf), noon);
    const unstorable = restart([], { expiresAt: noon + 0.5 });
    const [good, bad] = facts.map((one, i) => decisionAbout(one, i === 0 ? restart() : unstorable));
    await expect(store.recordDecisions([good!, bad!], noon)).rejects.toThrow();
    await expect(store.recordDecisions([good!, good!], noon)).rejects.toThrow("expected one of each");
    expect(await store.getAdvice(uuidOf(jobs[0]!))).toBeUndefined();
    expect((await store.story("default", "1"))[0]).not.toHaveProperty("decision");
    expect(await store.recordDecisions([good!], noon)).toEqual([{ kind: "recorded", generation: 1 }]);
    expect(await undecided(store, noon)).toEqual(["2-0"]);
  });

  test("batches about the same attempts in any order, from two replicas at once, give one Advice each", async () => {
    const { store, replica } = await open();
    const jobIds = Array.from({ length: 12 }, (_, i) => `${i}`);
    for (const jobId of jobIds) await store.upsertJob(report(jobId), noon);
    const facts = await store.loadFacts(await store.claimUndecided(100, hour, noon), noon);
    const batch = facts.map((one) => decisionAbout(one, restart()));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => {
        const some = [...batch.slice(i), ...batch.slice(0, i)];
        return (i % 2 ? store : replica).recordDecisions(i % 3 ? some : some.toReversed(), noon);
      }),
    );
    expect(answers.flat().filter(({ kind }) => kind === "recorded")).toHaveLength(12);
    for (const jobId of jobIds) expect((await store.story("default", jobId))[0]?.advice).toHaveLength(1);
  });

  // biome-ignore format: a table is read by columns
  const minds: [what: string, first: Decision, second: Decision, kind: string][] = [
    ["the same again", restart(["n1"]), restart(["n1"], { sentence: "Other words." }), "unchanged"],
    ["a node more", restart(["n1"]), restart(["n1", "n2"]), "generation 2"],
    ["another node", restart(["n1"]), restart(["n2"]), "generation 2"],
    ["a node less", restart(["n1", "n2"]), restart(["n1"]), "unchanged"],
    ["a termination after a restart", restart(), terminate(), "generation 2"],
    ["nothing any more", restart(), none(), "unchanged"],
    ["a restart that nobody wants any more", restart(), none({ withdraw: true }), "generation 2"],
    ["an end is not withdrawn because the job has ended", terminate(), none({ because: "cancelled", withdraw: true }), "unchanged"],
    ["the end of a program that goes on", terminate(), none({ because: "healthy", withdraw: true }), "generation 2"],
    ["…also where a line is waited out again", terminate(), none({ because: "grace", withdraw: true }), "generation 2"],
    ["nothing, and then still nothing", none(), none({ withdraw: true }), "unchanged"],
    ["a restart at last", none(), restart(), "generation 1"],
  ];
  test.each(minds)("a changed mind: %s", async (_what, first, second, kind) => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, first);
    const answer = await decided(store, job, second, noon + s);
    expect(answer.kind === "recorded" ? `generation ${answer.generation}` : answer.kind).toBe(kind);
    expect((await store.story("default", "1"))[0]?.decision).toEqual({ decision: second, decidedAt: noon + s });
  });

  test("the decision that Advice says is kept, whatever is decided after it", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    const stories = async () => (await store.story("default", "1"))[0];
    await decided(store, job, none());
    expect(await stories()).not.toHaveProperty("advised");
    await decided(store, job, restart(["n1"]), noon + s);
    await decided(store, job, restart(["n1"], { sentence: "Other words." }), noon + 2 * s);
    await decided(store, job, none({ withdraw: true }), noon + 3 * s);
    expect((await stories())?.advised).toEqual({ decision: restart(["n1"]), decidedAt: noon + s });
    await decided(store, job, restart(["n2"]), noon + 4 * s);
    expect((await stories())?.advised).toEqual({ decision: restart(["n2"]), decidedAt: noon + 4 * s });
  });

  test("a withdrawal repeats what it withdraws, and the history keeps both", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    await decided(store, job, none({ withdraw: true }), noon + s);
    expect(await decided(store, job, none({ withdraw: true }), noon + 2 * s)).toEqual({ kind: "unchanged" });
    const [story] = await store.story("default", "1");
    expect(story?.advice.map(({ generation, desired, withdrawnAt }) => ({ generation, desired, withdrawnAt }))).toEqual(
      [
        { generation: 1, desired: "RESTARTED", withdrawnAt: undefined },
        { generation: 2, desired: "RESTARTED", withdrawnAt: noon + s },
      ],
    );
    expect(await store.getAdvice(job.heimdallJobId)).toMatchObject({
      createdAt: noon,
      updatedAt: noon + s,
      because: "hardware-node",
    });
    expect((await store.listAdvice({ onlyActive: true }, { limit: 10 }, noon)).rows).toEqual([]);
    expect((await store.listWork("default", noon)).map(({ advice }) => advice.generation)).toEqual([2]);
  });

  test("after a withdrawal the same may be advised again, as a generation of its own, also when SAC has let go meanwhile", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    await decided(store, job, none({ withdraw: true }), noon + s);
    await store.observeStatus(
      job.heimdallJobId,
      status(2, { disposition: "ABANDONED", reason: "WITHDRAWN" }),
      noon + s,
    );
    expect(await decided(store, job, restart(), noon + 2 * s)).toEqual({ kind: "recorded", generation: 3 });
    expect(await store.getAdvice(job.heimdallJobId)).toMatchObject({
      generation: 3,
      status: { disposition: "PENDING" },
    });
  });

  test("who was let go after a failed launch lives like any other attempt then; forbidden before, it stays held", async () => {
    const { store } = await open();
    const [job, other] = await Promise.all(["1", "2"].map((id) => store.upsertJob(report(id, 1, pending), noon)));
    const released = restart([], { desired: "RELEASED", because: "launch-failed" });
    await decided(store, job!, released);
    await decided(store, job!, none(), noon + s);
    await store.observeStatus(job!.heimdallJobId, status(1, { disposition: "CONVERGED" }), noon + s);
    expect(await decided(store, job!, released, noon + s)).toEqual({ kind: "unchanged" });
    expect(await decided(store, job!, restart(), noon + 2 * s)).toEqual({ kind: "recorded", generation: 2 });
    await decided(store, other!, released);
    expect(await decided(store, other!, none({ because: "override-never", withdraw: true }))).toEqual({
      kind: "recorded",
      generation: 2,
    });
  });

  test("that an attempt was to be let go after a failed launch belongs to the facts of those after it, whatever was advised later", async () => {
    const { store } = await open();
    const held = await store.upsertJob(report("1", 1, pending), noon);
    const next = await store.upsertJob(report("1", 2, pending), noon + s);
    const known = async () => (await factsOf(store, next)).earlier;
    expect(await known()).toMatchObject([{ launchReleaseAdvised: false }]);
    await decided(store, held, restart([], { desired: "RELEASED", because: "launch-failed" }));
    expect(await known()).toMatchObject([{ launchReleaseAdvised: true }]);
    await store.observeStatus(held.heimdallJobId, status(1, { disposition: "CONVERGED" }), noon + s);
    expect(await decided(store, held, restart(), noon + 2 * s)).toEqual({ kind: "recorded", generation: 2 });
    expect(await known()).toMatchObject([{ launchReleaseAdvised: true, advice: { generation: 2 } }]);
    expect(await factsOf(store, next)).toMatchObject({ launchReleaseAdvised: false });
  });

  test("a requeue that SAC reported belongs to the facts of the attempts after it", async () => {
    const { store } = await open();
    const zero = await store.upsertJob(report("1"), noon);
    const one = await store.upsertJob(report("1", 1), noon + s);
    expect((await factsOf(store, one)).earlier).toMatchObject([{ requeuedByUs: false }]);
    const { heimdallJobId, jobId, attemptIndex } = zero;
    const named = {
      heimdallJobId,
      jobId,
      attemptIndex,
      generation: 1,
      action: "requeue-hold",
      begunAt: noon,
      detail: "",
    };
    await store.reportPass(pass(noon + s, { steps: [{ ...named, key: "a", outcome: "refused" }] }), noon + s);
    expect((await factsOf(store, one)).earlier).toMatchObject([{ requeuedByUs: false }]);
    await store.reportPass(pass(noon + 2 * s, { steps: [{ ...named, key: "b", outcome: "" }] }), noon + 2 * s);
    expect((await factsOf(store, one)).earlier).toMatchObject([{ requeuedByUs: true }]);
  });

  test("a cancellation that SAC reported belongs to the facts of the attempt that it ended", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, { status: "CANCELLED" }), noon);
    expect(await factsOf(store, job)).toMatchObject({ cancelledByUs: false });
    const { heimdallJobId, jobId, attemptIndex } = job;
    const named = { heimdallJobId, jobId, attemptIndex, generation: 1, action: "cancel", begunAt: noon, detail: "" };
    await store.reportPass(pass(noon + s, { steps: [{ ...named, key: "a", outcome: "moved" }] }), noon + s);
    expect(await factsOf(store, job)).toMatchObject({ cancelledByUs: false });
    await store.reportPass(pass(noon + 2 * s, { steps: [{ ...named, key: "b", outcome: "" }] }), noon + 2 * s);
    expect(await factsOf(store, job)).toMatchObject({ cancelledByUs: true });
  });

  test("a restart that was open when the lease went to another SAC may have been made by the one before, and counts", async () => {
    const { store } = await open();
    const [zero, ended, calm] = await Promise.all(["1", "2", "3"].map((id) => store.upsertJob(report(id), noon)));
    await store.acquireLease("default", "sac-a", 30 * s, noon);
    await decided(store, zero!, restart(), noon + s);
    await decided(store, ended!, terminate(), noon + s);
    await decided(store, calm!, restart(), noon + s);
    await store.observeStatus(calm!.heimdallJobId, status(1, converged), noon + 2 * s);
    const next = await Promise.all(["1", "2", "3"].map((id) => store.upsertJob(report(id, 1), noon + 3 * s)));
    const wereOurs = () =>
      Promise.all(next.map(async (job) => (await factsOf(store, job)).earlier.map((e) => e.requeuedByUs)));

    await store.acquireLease("default", "sac-a", 30 * s, noon + 60 * s);
    await store.acquireLease("other", "sac-b", 30 * s, noon + 60 * s);
    expect(await wereOurs()).toEqual([[false], [false], [false]]);
    await decided(store, zero!, terminate(), noon + 61 * s); // A line that was read late; the restart may have been begun before.
    await store.acquireLease("default", "sac-b", 30 * s, noon + 91 * s);
    expect(await wereOurs()).toEqual([[true], [false], [false]]);
  });

  test("what was carried out or given up stays as it is, whatever is decided later", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1"), noon);
    await decided(store, job, restart());
    await store.observeStatus(job.heimdallJobId, status(1, converged), noon);
    for (const decision of [restart(["n7"]), terminate(), none({ withdraw: true })]) {
      expect(await decided(store, job, decision)).toEqual({ kind: "unchanged" });
    }
  });

  test("a restart that was confirmed and that the controller then forgot is advised again", async () => {
    const { store } = await open();
    const listed = (index: number) => ({ jobId: "1", attemptIndex: index });
    await store.reportPass(pass(noon, { changed: [report("1", 0, failed)], seen: [listed(0)] }), noon);
    const job = (await store.getJobByAttempt("default", "1", 0))!;
    await decided(store, job, restart());
    await store.reportPass(pass(noon + s, { changed: [report("1", 1, pending)], seen: [listed(1)] }), noon + s);
    await store.observeStatus(job.heimdallJobId, status(1, converged), noon + 2 * s);
    expect(await decided(store, job, restart(), noon + 2 * s)).toEqual({ kind: "unchanged" });
    await store.reportPass(pass(noon + 3 * s, { changed: [report("1", 0, failed)], seen: [listed(0)] }), noon + 3 * s);
    expect(await decided(store, job, restart(), noon + 3 * s)).toEqual({ kind: "recorded", generation: 2 });
    expect(await store.getAdvice(job.heimdallJobId)).toMatchObject({
      generation: 2,
      status: { disposition: "PENDING" },
    });
  });

  test("facts are everything that a decision may use, and nothing of later attempts but the next one", async () => {
    const { store } = await open();
    const [zero, one] = [await store.upsertJob(report("1"), noon), await store.upsertJob(report("1", 1), noon + hour)];
    const three = await store.upsertJob(report("1", 3, pending), noon + 3 * hour); // Counts may have gaps.
    await store.recordSignals(signals(crash(zero), step(zero, 7, noon), crash(one), crash(three)), noon);
    const facts = await factsOf(store, one);
    expect(facts).toMatchObject({ attempt: { attemptIndex: 1 }, successor: { attemptIndex: 3 }, now: noon });
    expect(facts.earlier).toMatchObject([
      { attempt: { attemptIndex: 0 }, progress: { lastStep: 7 }, signals: [crash(zero)] },
    ]);
    expect(facts.signals.map(({ heimdallJobId }) => heimdallJobId)).toEqual([one.heimdallJobId]);
    expect(facts).not.toHaveProperty("pass");
    expect(await store.loadFacts(["11111111-2222-4333-8444-555555555555"], noon)).toEqual([]);
  });

  test("facts of many are what each has by itself, in the order in which they were asked for", async () => {
    const { store } = await open();
    const zero = await store.upsertJob(report("1"), noon);
    const one = await store.upsertJob(report("1", 1), noon + hour);
    const other = await store.upsertJob(report("1", 0, { cluster: "other" }), noon);
    const { jobId: _, ...nameless } = report("", 0);
    const unnamed = await store.upsertJob(
      { ...nameless, heimdallJobId: attemptUuid({ jobId: "u", attemptIndex: 0 }) },
      noon,
    );
    await store.recordSignals(signals(crash(zero), crash(one), crash(other)), noon);
    await store.setOverride({ cluster: "other", jobId: "1" }, { action: "never", reason: "words", by: "op" }, noon);
    await store.reportPass(
      pass(noon + hour, { nodes: [{ name: "n1", state: "idle", isEligible: true, partitions: [] }] }),
      noon,
    );
    const asked = [unnamed, one, other, zero].map(uuidOf);
    const together = await store.loadFacts(["11111111-2222-4333-8444-555555555555", ...asked], noon);
    expect(together.map(({ attempt }) => uuidOf(attempt))).toEqual(asked);
    expect(together).toEqual((await Promise.all(asked.map((uuid) => store.loadFacts([uuid], noon)))).flat());
    expect(together.map(({ overrides, nodes, earlier }) => [overrides.length, nodes.length, earlier.length])).toEqual([
      [0, 1, 0],
      [0, 1, 1],
      [1, 0, 0],
      [0, 1, 0],
    ]);
  });

  test("generations only grow, and the last one is the last decision that changed the outcome", async () => {
    const { store } = await open();
    const arbitrary = fc.constantFrom<Decision>(
      none(),
      restart(["n1"]),
      restart(["n1", "n2"]),
      restart(["n3"]),
      terminate(),
    );
    let jobId = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(arbitrary, { minLength: 1, maxLength: 8 }), async (decisions) => {
        const job = await store.upsertJob(report(`${++jobId}`), noon);
        let said: Decision | undefined;
        let generation = 0;
        for (const decision of decisions) {
          const answer = await decided(store, job, decision);
          const isNews = decision.kind === "advise" && changesOutcome(said, decision);
          expect(answer).toEqual(isNews ? { kind: "recorded", generation: ++generation } : { kind: "unchanged" });
          if (isNews) said = decision;
        }
        const history = (await store.story("default", job.jobId))[0]?.advice ?? [];
        expect(history.map((advice) => advice.generation)).toEqual(Array.from({ length: generation }, (_, i) => i + 1));
        await settleDecisions(store, noon);
      }),
      { numRuns: 15 },
    );
  });
}

function changesOutcome(said: Decision | undefined, next: Decision & { kind: "advise" }): boolean {
  if (said?.kind !== "advise" || said.desired !== next.desired) return true;
  return next.exclusions.some(({ node }) => !said.exclusions.some((known) => known.node === node));
}
