/**
 * Goal    a look at rest never shows less than a whole one would of what tells that something has happened, and costs one listing.
 * Method  a Slurm that is a text and a pass; what was asked of it is written down. A property over random histories.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "@reprise/core/limits.ts";
import type { UnreadableRow } from "@reprise/core/nouns.ts";
import { createRestfulLook } from "./rest.ts";

function world() {
  const slurm = { outline: "1 RUNNING", isUp: true, unreadable: new Map<string, UnreadableRow>() };
  let now = 0;
  const asked: string[] = [];
  const say = <T>(what: string, value: T) => {
    asked.push(what);
    return slurm.isUp
      ? ({ kind: "seen", value, at: now } as const)
      : ({ kind: "unavailable", why: "down", at: now } as const);
  };
  const look = createRestfulLook({
    clock: { elapsed: () => now },
    outline: async () => say("outline", slurm.outline),
    whole: async () => {
      const { outline, unreadable } = slurm;
      const pass = { cluster: outline, jobs: new Map(), nodes: new Map(), unreadable };
      return say("whole", { pass, outline });
    },
  });
  const pass = (ms: number) => void (now += ms);
  /** What was asked for this look, and what it showed. */
  const rest = async () => {
    asked.length = 0;
    const seen = await look("at-rest");
    return [
      asked.join(),
      seen.kind === "seen"
        ? `${seen.value.cluster}${seen.value.isAtRest ? "…" : ""}`
        : `${seen.kind === "unavailable" && seen.why}`,
    ];
  };
  return { slurm, look, rest, pass };
}

/** A world in which two whole looks were alike. */
async function quiet() {
  const made = world();
  await made.look();
  await made.look();
  return made;
}

describe("a look at rest", () => {
  test("asks for the outline alone once two looks were alike, and shows what was seen, as of now", async () => {
    const { rest, look, pass } = world();
    expect([await rest(), await rest()]).toEqual([
      ["whole", "1 RUNNING"],
      ["whole", "1 RUNNING"],
    ]);
    pass(1_000);
    expect(await rest()).toEqual(["outline", "1 RUNNING…"]);
    expect(await look("at-rest")).toMatchObject({ at: 1_000 });
  });

  test("asks for everything as soon as anything has happened, and goes on so until it is quiet again", async () => {
    const { slurm, rest } = await quiet();
    slurm.outline = "1 FAILED";
    expect([await rest(), await rest(), await rest()]).toEqual([
      ["outline,whole", "1 FAILED"],
      ["whole", "1 FAILED"],
      ["outline", "1 FAILED…"],
    ]);
  });

  test("is not believed for longer than a while", async () => {
    const { rest, pass } = await quiet();
    pass(limits.wholeLookMs);
    expect(await rest()).toEqual(["whole", "1 RUNNING"]);
    expect(await rest()).toEqual(["outline", "1 RUNNING…"]);
  });

  test("is none while a row could not be read", async () => {
    const { slurm, look, rest } = await quiet();
    slurm.unreadable = new Map([["2", { why: "State is ?" }]]);
    await look();
    expect(await rest()).toEqual(["whole", "1 RUNNING"]);
  });

  test("that Slurm does not answer is unavailable, and nothing is left of what was seen before", async () => {
    const { slurm, rest } = await quiet();
    slurm.isUp = false;
    expect(await rest()).toEqual(["outline", "down"]);
    slurm.isUp = true;
    expect(await rest()).toEqual(["whole", "1 RUNNING"]);
  });

  test("a whole look is always a whole one", async () => {
    const { slurm, look } = await quiet();
    slurm.unreadable = new Map([["2", { why: "State is ?" }]]); // Nothing that the outline tells.
    expect(await look("whole")).toMatchObject({ value: { unreadable: slurm.unreadable } });
  });

  test("whatever happens when, it shows the outline that Slurm has now", async () => {
    const outline = fc.constantFrom("a", "b");
    const how = fc.constantFrom("whole", "at-rest", "at-rest", "at-rest");
    const moment = fc.record({ outline, how, isUp: fc.boolean(), ms: fc.constantFrom(0, 2_000, 20_000) });
    await fc.assert(
      fc.asyncProperty(fc.array(moment), async (moments) => {
        const { slurm, look, pass } = world();
        for (const one of moments) {
          Object.assign(slurm, { outline: one.outline, isUp: one.isUp });
          pass(one.ms);
          const seen = await look(one.how);
          expect(seen.kind).toBe(one.isUp ? "seen" : "unavailable");
          if (seen.kind === "seen") expect(seen.value.cluster).toBe(one.outline);
        }
      }),
    );
  });
});
