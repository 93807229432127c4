/**
 * Goal    a whole pass over Slurm is taken in at once: what changed, what is still there, what has gone; and who may act.
 */
import { expect, test } from "vitest";
import { attemptUuid } from "@reprise/core/identity/attempt-uuid.ts";
import type { StepRecord } from "../../store.ts";
import {
  factsOf,
  failed,
  hour,
  noon,
  pass,
  pending,
  report,
  s,
  settleDecisions,
  shown,
  undecided,
  type Open,
} from "../testing/world.ts";

const seen = (...names: string[]) =>
  names.map((name) => ({ jobId: name.split("-")[0]!, attemptIndex: Number(name.split("-")[1]) }));

export function passContract(open: Open): void {
  test("a pass says what the attempts are called, in the order of the report", async () => {
    const { store } = await open();
    const changed = [report("2"), report("1"), report("1", 1, pending)];
    const { heimdallJobIds } = await store.reportPass(pass(noon, { changed, seen: seen("1-0", "1-1", "2-0") }), noon);
    const jobs = await Promise.all(heimdallJobIds.map((uuid) => store.getJobByUuid(uuid)));
    expect(jobs.map((job) => `${job?.jobId}-${job?.attemptIndex}`)).toEqual(["2-0", "1-0", "1-1"]);
    const again = await store.reportPass(pass(noon, { changed, seen: seen("1-0", "1-1", "2-0") }), noon + s);
    expect(again.heimdallJobIds).toEqual(heimdallJobIds);
  });

  test("a pass over one cluster says nothing of another one", async () => {
    const { store } = await open();
    const strange = store.reportPass(pass(noon, { changed: [report("1", 0, { cluster: "other" })] }), noon);
    await expect(strange).rejects.toMatchObject({ code: "invalid" });
    await store.upsertJob(report("1", 0, { cluster: "other" }), noon);
    await store.reportPass(pass(noon), noon);
    expect(await store.getJobByAttempt("other", "1", 0)).toMatchObject({ status: "RUNNING" });
  });

  test("an unchanged attempt is seen again without a word about it, and nobody decides again", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { changed: [report("1")], seen: seen("1-0") }), noon);
    await settleDecisions(store, noon);
    await store.reportPass(pass(noon + 5 * s, { seen: seen("1-0") }), noon + 6 * s);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({
      lastSeenAt: noon + 5 * s,
      status: "RUNNING",
    });
    expect(await undecided(store, noon + 6 * s)).toEqual([]);
  });

  test("what a complete pass does not list any more is gone; unknown is not failed", async () => {
    const { store } = await open();
    const changed = [report("1"), report("2"), report("3", 0, failed)];
    await store.reportPass(pass(noon, { changed, seen: seen("1-0", "2-0", "3-0") }), noon);
    const published = await store.upsertJob(report("4"), noon); // Never listed by Slurm: a pass says nothing about it.
    await settleDecisions(store, noon);
    await store.reportPass(pass(noon + 5 * s, { seen: seen("2-0") }), noon + 5 * s);
    const [one, two, three] = await Promise.all(["1", "2", "3"].map((id) => store.getJobByAttempt("default", id, 0)));
    expect(one).toMatchObject({ status: "DELETED", jmState: "UNKNOWN", lastSeenAt: noon, endedAt: noon + 5 * s });
    expect(two).toMatchObject({ status: "RUNNING" });
    expect(three).toMatchObject({ status: "FAILED", jmState: "FAILED", lastSeenAt: noon });
    expect(await shown(store, published)).toBe("4-0 RUNNING/RUNNING started");
    expect(await undecided(store, noon + 5 * s)).toEqual(["1-0"]);
  });

  test("an incomplete pass, or none at all, makes nothing disappear", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { changed: [report("1"), report("2")], seen: seen("1-0", "2-0") }), noon);
    await store.reportPass(pass(noon + s, { complete: false, seen: seen("2-0") }), noon + s);
    await store.reportPass(pass(noon + 2 * s, { unavailable: "slurmctld is down", complete: false }), noon + 2 * s);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({ status: "RUNNING", lastSeenAt: noon });
    expect(await store.getJobByAttempt("default", "2", 0)).toMatchObject({ lastSeenAt: noon + s });
    expect(await store.passState("default")).toMatchObject({
      takenAt: noon + 2 * s,
      unavailable: "slurmctld is down",
      completeAt: noon,
    });
    await store.reportPass(pass(noon + 3 * s, { seen: seen("1-0", "2-0") }), noon + 3 * s);
    expect(await store.passState("default")).not.toHaveProperty("unavailable");
    expect(await store.passState("elsewhere")).toBeUndefined();
  });

  test("who was only ever shown by incomplete passes is missed by the next complete one", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { complete: false, changed: [report("1")], seen: seen("1-0") }), noon);
    await store.reportPass(pass(noon + s, { complete: false, seen: seen("1-0") }), noon + s);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({ status: "RUNNING", lastSeenAt: noon + s });
    await store.reportPass(pass(noon + 2 * s, { seen: [] }), noon + 2 * s);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({ status: "DELETED", lastSeenAt: noon + s });
  });

  test("attempt 0 is requeued only once it has left: until then the reporter's own word about it wins", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { changed: [report("1")], seen: seen("1-0") }), noon);
    const completing = [report("1"), report("1", 1, pending)];
    await store.reportPass(pass(noon + s, { changed: completing, seen: seen("1-0", "1-1") }), noon + s);
    const [zero, one] = (await store.listJobsBySchedulerId("1", { offset: 0, limit: 2 })).rows;
    expect(await shown(store, zero!)).toBe("1-0 RUNNING/RUNNING started");
    expect((await factsOf(store, zero!)).successor).toMatchObject({ attemptIndex: 1, status: "PENDING" });

    await store.reportPass(pass(noon + 2 * s, { seen: seen("1-1") }), noon + 2 * s);
    expect(await shown(store, zero!)).toBe("1-0 STOPPED/REQUEUED started ended");
    expect(await shown(store, one!)).toBe("1-1 PENDING/PENDING");
    await store.reportPass(pass(noon + 3 * s), noon + 3 * s);
    expect(await shown(store, zero!)).toBe("1-0 STOPPED/REQUEUED started ended");
    expect(await shown(store, one!)).toBe("1-1 DELETED/UNKNOWN ended");
  });

  test("an attempt that was leaving when it was last seen ended then, where no submit time tells of its requeue", async () => {
    const { store } = await open();
    const submitAt = noon - hour; // COMPLETING: the next one shows the old submit time still.
    const changed = [report("1", 0, { submitAt }), report("1", 1, { ...pending, submitAt })];
    await store.reportPass(pass(noon, { changed, seen: seen("1-0", "1-1") }), noon);
    await store.reportPass(pass(noon + 20 * s, { seen: seen("1-0", "1-1") }), noon + 20 * s);
    await store.reportPass(pass(noon + 300 * s), noon + 300 * s);
    const left = { status: "STOPPED", jmState: "REQUEUED", endedAt: noon + 20 * s };
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject(left);
  });

  test("an attempt whose next one nobody saw ended no later than anybody knows: when it was last seen", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { changed: [report("1")], seen: seen("1-0") }), noon);
    const changed = [report("1", 2, { ...pending, submitAt: noon + 200 * s })];
    await store.reportPass(pass(noon + 300 * s, { changed, seen: seen("1-2") }), noon + 300 * s);
    const left = { status: "STOPPED", jmState: "REQUEUED", endedAt: noon };
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject(left);
  });

  test("an attempt whose next one has run unseen, and is leaving itself, ended when it was last seen", async () => {
    const { store } = await open();
    const ran = (startTime: number) => ({ submitAt: noon - hour, schedulerMetadata: { slurm: { startTime } } });
    await store.reportPass(pass(noon, { changed: [report("1", 0, ran(noon - hour))], seen: seen("1-0") }), noon);
    const changed = [report("1", 1, ran(noon + 200 * s))];
    await store.reportPass(pass(noon + 300 * s, { changed, seen: seen("1-1") }), noon + 300 * s);
    const left = { status: "STOPPED", jmState: "REQUEUED", endedAt: noon };
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject(left);
  });

  test("an attempt that was only missing from a view lives again when it is listed", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { changed: [report("1")], seen: seen("1-0") }), noon);
    await store.reportPass(pass(noon + s), noon + s);
    await store.reportPass(pass(noon + 2 * s, { changed: [report("1")], seen: seen("1-0") }), noon + 2 * s);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({ status: "RUNNING" });
  });

  test("a pass that comes late changes no attempt, but its steps have happened", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon + 5 * s, { changed: [report("1", 0, failed)], seen: seen("1-0") }), noon + 5 * s);
    const late = pass(noon, { changed: [report("1"), report("2")], seen: seen("1-0", "2-0"), steps: [done("j:1")] });
    const answer = await store.reportPass(late, noon + 6 * s);
    expect(answer.confirmedStepKeys).toEqual(["j:1"]);
    expect(answer.heimdallJobIds).toHaveLength(2);
    expect(answer.isTaken).toBe(false);
    expect(await store.getJobByAttempt("default", "1", 0)).toMatchObject({ status: "FAILED" });
    expect(await store.getJobByAttempt("default", "2", 0)).toBeUndefined();
    expect(await store.passState("default")).toMatchObject({ takenAt: noon + 5 * s });
  });

  test("how old a look is counts by the server's clock, from when it can have been begun; looks are ordered by their reporter's", async () => {
    const { store, replica } = await open();
    const behind = noon - 480 * s;
    await store.reportPass(pass(behind), noon);
    const first = { takenAt: behind, heardAt: noon, completeAt: behind, completeHeardAt: noon };
    expect(await replica.passState("default")).toMatchObject(first);
    // It was a minute on its way; the one after it could not read Slurm.
    await store.reportPass(pass(behind + s, { takenAfter: noon + s }), noon + 61 * s);
    const late = { takenAt: behind + s, heardAt: noon + s, completeAt: behind + s, completeHeardAt: noon + s };
    expect(await store.passState("default")).toMatchObject(late);
    const unread = { takenAfter: noon + 62 * s, unavailable: "timeout", complete: false };
    await store.reportPass(pass(behind + 2 * s, unread), noon + 63 * s);
    const blind = { heardAt: noon + 62 * s, completeAt: behind + s, completeHeardAt: noon + s };
    expect(await store.passState("default")).toMatchObject(blind);
    // What another replica said runs ahead of this one's clock: no look comes from the future.
    await replica.reportPass(pass(behind + 3 * s, { takenAfter: noon + hour }), noon + 64 * s);
    expect(await store.passState("default")).toMatchObject({ heardAt: noon + 64 * s, completeHeardAt: noon + 64 * s });
    // Out of order by the reporter's clock: it says nothing, however new it seems.
    expect((await store.reportPass(pass(behind), noon + 70 * s)).isTaken).toBe(false);
    expect(await store.passState("default")).toMatchObject({ heardAt: noon + 64 * s });
  });

  test("a SAC that has lost its lease reports steps only; a new holder's clock is the one that counts", async () => {
    const { store } = await open();
    const first = await store.acquireLease("default", "sac-a", 30 * s, noon);
    await store.reportPass(pass(noon + 9 * s, { leaseTerm: first.term, mode: "act", partitions: ["gpu"] }), noon);
    const second = await store.acquireLease("default", "sac-b", 30 * s, noon + 31 * s);
    const ofSecond = pass(noon + 2 * s, { leaseTerm: second.term, changed: [report("1")], mode: "act" });
    expect((await store.reportPass(ofSecond, noon + 31 * s)).isTaken).toBe(true);
    expect(await store.getJobByAttempt("default", "1", 0)).toBeDefined();
    const ofFirst = pass(noon + 40 * s, { leaseTerm: first.term, changed: [report("2")] });
    expect((await store.reportPass(ofFirst, noon + 40 * s)).isTaken).toBe(false);
    expect(await store.getJobByAttempt("default", "2", 0)).toBeUndefined();
    await store.reportPass(pass(noon + 41 * s, { mode: "observe", seen: seen("1-0") }), noon + 41 * s);
    expect(await store.passState("default")).toMatchObject({ takenAt: noon + 41 * s, mode: "act" });
  });

  test("the name of the last report is that of who says what the mode is; a report without a name leaves none", async () => {
    const { store, replica } = await open();
    const { term: leaseTerm } = await store.acquireLease("default", "sac-a", 30 * s, noon);
    const last = async () => (await replica.passState("default"))?.reportId;
    await store.reportPass(pass(noon + s, { leaseTerm, reportId: "first" }), noon + s);
    expect(await last()).toBe("first");
    await store.reportPass(pass(noon, { leaseTerm, reportId: "too late" }), noon + s);
    await store.reportPass(pass(noon + s, { leaseTerm: 0, reportId: "an observer's" }), noon + s);
    expect(await last()).toBe("first");
    await store.reportPass(pass(noon + 2 * s, { leaseTerm, reportId: "blind", unavailable: "timeout" }), noon + 2 * s);
    expect(await last()).toBe("blind");
    await store.reportPass(pass(noon + 3 * s, { leaseTerm }), noon + 3 * s);
    expect(await last()).toBeUndefined();
  });

  test("at most one holds the lease; it renews its term, and who takes it after its end gets a higher one", async () => {
    const { store, replica } = await open();
    const asked = await Promise.all(
      [1, 2, 3, 4].map((n) => (n % 2 ? store : replica).acquireLease("default", `sac-${n}`, 30 * s, noon)),
    );
    expect(asked.filter(({ isHeld }) => isHeld)).toHaveLength(1);
    const { holder } = asked[0]!;
    expect(
      asked.every((lease) => lease.holder === holder && lease.term === 1 && lease.expiresAt === noon + 30 * s),
    ).toBe(true);
    const renewed = await store.acquireLease("default", holder, 30 * s, noon + 20 * s);
    expect(renewed).toEqual({ isHeld: true, term: 1, holder, expiresAt: noon + 50 * s });
    expect(await store.acquireLease("default", "late", 30 * s, noon + 50 * s)).toMatchObject({ isHeld: true, term: 2 });
    expect(await store.acquireLease("default", holder, 30 * s, noon + 51 * s)).toMatchObject({
      isHeld: false,
      term: 2,
    });
    expect(await store.acquireLease("other", holder, 30 * s, noon)).toMatchObject({ isHeld: true, term: 1 });
  });

  test("a step that was begun gets its end, and an end is not taken back", async () => {
    const { store } = await open();
    await store.reportPass(pass(noon, { changed: [report("1")], seen: seen("1-0") }), noon);
    const { endedAt: _, ...begun } = { ...done("j:1"), outcome: "" };
    for (const steps of [[begun], [done("j:1"), begun], [begun]]) {
      const answer = await store.reportPass(pass(noon, { seen: seen("1-0"), steps }), noon);
      expect(answer.confirmedStepKeys).toContain("j:1");
    }
    expect((await store.story("default", "1"))[0]?.steps).toEqual([done("j:1")]);
  });

  test("nodes are kept as the last pass that named them saw them", async () => {
    const { store } = await open();
    const [n1, n2] = ["n1", "n2"].map((name) => ({ name, state: "idle", isEligible: true, partitions: ["gpu"] }));
    await store.reportPass(pass(noon, { changed: [report("1")], seen: seen("1-0"), nodes: [n1!, n2!] }), noon);
    const job = await store.getJobByAttempt("default", "1", 0);
    expect((await factsOf(store, job!)).nodes).toEqual([n1, n2]);
    const drained = { ...n1!, state: "drained", isEligible: false };
    await store.reportPass(pass(noon + s, { seen: seen("1-0"), nodes: [drained] }), noon + s);
    expect((await factsOf(store, job!)).nodes).toEqual([drained, n2]);
  });

  test("what a node may not be called is replaced, however often it is told", async () => {
    const { store } = await open();
    const told = { name: "n\0", state: "idle\ud800", isEligible: true, partitions: ["g\0"], features: ["a\0"] };
    const kept = { ...told, name: "n\ufffd", state: "idle\ufffd", partitions: ["g\ufffd"], features: ["a\ufffd"] };
    for (const nodes of [[told], [told], [kept], [{ ...told, reservations: ["r\0"] }], [told]]) {
      await store.reportPass(pass(noon, { changed: [report("1")], seen: seen("1-0"), nodes }), noon);
      const expected = nodes[0] !== told && nodes[0] !== kept ? { ...kept, reservations: ["r\ufffd"] } : kept;
      expect(await store.listNodes("default")).toEqual([expected]);
    }
  });

  test("a pass over two thousand attempts is taken in as a whole", async () => {
    const { store } = await open();
    const changed = Array.from({ length: 2000 }, (_, i) => report(`${i}`));
    const { heimdallJobIds } = await store.reportPass(
      pass(noon, { changed, seen: changed.map(({ jobId, attemptIndex }) => ({ jobId: jobId!, attemptIndex })) }),
      noon,
    );
    expect(new Set(heimdallJobIds).size).toBe(2000);
    await store.reportPass(pass(noon + s, { seen: seen("7-0") }), noon + s);
    const live = await store.listJobs({ completed: false }, { offset: 0, limit: 10 });
    expect(live.rows.map(({ jobId }) => jobId)).toEqual(["7"]);
  }, 30_000);
}

const done = (key: string): StepRecord => ({
  key,
  heimdallJobId: attemptUuid({ jobId: "1", attemptIndex: 0 }),
  jobId: "1",
  attemptIndex: 0,
  generation: 1,
  action: "requeue-hold",
  begunAt: noon,
  endedAt: noon + s,
  outcome: "done",
  detail: "",
});
