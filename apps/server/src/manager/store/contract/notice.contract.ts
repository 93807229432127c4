/**
 * Goal    what is told is told once to each receiver, by whichever replica; what could not be sent comes again; and what has been so
 *         without a break keeps its beginning.
 */
import { expect, test } from "vitest";
import type { Notice, NoticeKind } from "../../notice/notice.ts";
import type { Addressee } from "../../notice-store.ts";
import { cluster, failed, hour, noon, report, s, type Open } from "../testing/world.ts";

const notice = (key: string, kind: NoticeKind = "blind"): Notice => ({
  key,
  kind,
  cluster,
  at: noon,
  says: "Slurm cannot be read: \u0000 slurmctld is away",
  whatToDo: "`reprise doctor`",
});
const receiver = (name: string, change: Partial<Addressee> = {}): Addressee => ({
  name,
  kinds: ["blind"],
  groupForMs: 30 * s,
  ...change,
});
const claim = (name: string, kinds: readonly NoticeKind[] = ["blind"]) => ({
  receiver: name,
  kinds,
  limit: 10,
  claimMs: 60 * s,
});

export function noticeContract(open: Open): void {
  test("a key is recorded once, and addressed only to those of its kind", async () => {
    const { store, replica } = await open();
    const both = [receiver("ops"), receiver("nodes", { kinds: ["node-repeats"] })];
    expect(await store.recordNotices([notice("a")], both, noon)).toBe(1);
    expect(await replica.recordNotices([notice("a"), notice("b")], [...both, receiver("late")], noon)).toBe(1);
    const keysOf = async (name: string) =>
      (await replica.claimNotices(claim(name, ["blind", "node-repeats"]), noon + hour)).map((one) => one.notice.key);
    expect(await keysOf("ops")).toEqual(["a", "b"]);
    expect(await keysOf("nodes")).toEqual([]);
    expect(await keysOf("late")).toEqual(["b"]);
  });

  test("when one is due, those that were recorded meanwhile go with it; before, none does", async () => {
    const { store, replica } = await open();
    await store.recordNotices([notice("b")], [receiver("ops")], noon);
    await store.recordNotices([notice("a")], [receiver("ops")], noon + 20 * s);
    expect(await store.claimNotices(claim("ops"), noon + 29 * s)).toEqual([]);
    const claimed = await store.claimNotices(claim("ops"), noon + 30 * s);
    expect(claimed.map((one) => [one.notice.key, one.recordedAt - noon, one.tries])).toEqual([
      ["b", 0, 0],
      ["a", 20 * s, 0],
    ]);
    expect(await replica.claimNotices(claim("ops"), noon + 89 * s)).toEqual([]);
  });

  test("what failed comes again when it is time, and what was taken or given up never does", async () => {
    const { store, replica } = await open();
    await store.recordNotices([notice("a"), notice("b"), notice("c")], [receiver("ops", { groupForMs: 0 })], noon);
    await store.claimNotices(claim("ops"), noon);
    await store.settleNotices("ops", ["a"], { kind: "taken" });
    await store.settleNotices("ops", ["b"], { kind: "failed", why: "503", againAt: noon + 10 * s });
    await store.settleNotices("ops", ["c"], { kind: "given-up", why: "404" });
    expect(await replica.claimNotices(claim("ops"), noon + 9 * s)).toEqual([]);
    const again = await replica.claimNotices(claim("ops"), noon + 10 * s);
    expect(again.map((one) => [one.notice.key, one.tries])).toEqual([["b", 1]]);
    expect(await store.recordNotices([notice("a"), notice("c")], [receiver("ops")], noon + hour)).toBe(0);
  });

  test("whoever dies while he sends loses the claim, and another one sends it", async () => {
    const { store, replica } = await open();
    await store.recordNotices([notice("a")], [receiver("ops", { groupForMs: 0 })], noon);
    expect(await store.claimNotices(claim("ops"), noon)).toHaveLength(1);
    expect(await replica.claimNotices(claim("ops"), noon + 60 * s)).toMatchObject([{ tries: 1 }]);
  });

  test("quiet kinds stay until they are asked for", async () => {
    const { store } = await open();
    await store.recordNotices(
      [notice("a"), notice("b", "hold-released")],
      [receiver("ops", { kinds: ["blind", "hold-released"], groupForMs: 0 })],
      noon,
    );
    expect(await store.claimNotices(claim("ops", ["hold-released"]), noon)).toMatchObject([{ notice: { key: "b" } }]);
    expect(await store.claimNotices(claim("ops"), noon + hour)).toMatchObject([{ notice: { key: "a" } }]);
  });

  test("a condition keeps its beginning while it lasts, and begins anew after a break", async () => {
    const { store, replica } = await open();
    expect(await store.holdConditions(cluster, ["x", "y"], noon)).toEqual(
      new Map([
        ["x", noon],
        ["y", noon],
      ]),
    );
    expect(await replica.holdConditions(cluster, ["x"], noon + s)).toEqual(new Map([["x", noon]]));
    await store.holdConditions("other", [], noon + s);
    const later = noon + 2 * s;
    expect(await store.holdConditions(cluster, ["x", "y"], later)).toEqual(
      new Map([
        ["x", noon],
        ["y", later],
      ]),
    );
  });

  test("a notice is known for thirty days", async () => {
    const { store } = await open();
    await store.recordNotices([notice("a")], [receiver("ops")], noon);
    const days = 24 * hour;
    expect(await store.recordNotices([notice("a")], [receiver("ops")], noon + 30 * days)).toBe(0);
    await store.recordNotices([], [], noon + 30 * days + 1);
    expect(await store.recordNotices([notice("a")], [receiver("ops")], noon + 30 * days + 1)).toBe(1);
    expect(await store.claimNotices(claim("ops"), noon + 32 * days)).toMatchObject([{ tries: 0 }]);
  });

  test("of what is at rest, only that which ended since is listed when that is asked", async () => {
    const { store } = await open();
    const job = await store.upsertJob(report("1", 0, failed), noon);
    const endedFrom = (at: number) =>
      store.listStandings({ cluster, endedFrom: at }, { limit: 10 }, noon).then(({ rows }) => rows.length);
    expect(await endedFrom((job.endedAt ?? 0) - s)).toBe(1);
    expect(await endedFrom((job.endedAt ?? noon) + s)).toBe(0);
  });
}
