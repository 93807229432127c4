/**
 * Goal    every word of design §4 reads as its table says; what is not in it is not known, and never acted on.
 * Method  the table; then what each word permits; any other word as a property.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SlurmJob } from "../nouns.ts";
import * as state from "./slurm-state.ts";
import { slurmJob } from "./slurm-job.example.ts";

// biome-ignore format: a table
const words: [word: string, reading: string, permits: string][] = [
  ["PENDING", "pending PENDING PENDING", "isPending"],
  ["REQUEUED", "pending PENDING PENDING", "isPending"],
  ["EXPEDITING", "pending PENDING PENDING", "isPending"],
  ["REQUEUE_HOLD", "pending PENDING PENDING", "isPending isHeld"],
  ["SPECIAL_EXIT", "pending PENDING PENDING", "isPending isHeld"],
  ["CONFIGURING", "running PENDING PENDING", "isRunning"],
  ["RUNNING", "running RUNNING RUNNING", "isRunning"],
  ["STAGE_OUT", "running RUNNING RUNNING", "isRunning"],
  ["RESIZING", "running RUNNING RUNNING", "isRunning"],
  ["SUSPENDED", "suspended RUNNING SUSPENDED", "isRunning"],
  ["COMPLETING", "completing RUNNING RUNNING", "isCompleting"],
  ["COMPLETED", "ended COMPLETED COMPLETED", "hasEnded"],
  ["FAILED", "ended FAILED FAILED", "hasEnded isRestartable"],
  ["OUT_OF_MEMORY", "ended FAILED OUT_OF_MEMORY", "hasEnded isRestartable"],
  ["TIMEOUT", "ended FAILED TIMEOUT", "hasEnded isRestartable"],
  ["DEADLINE", "ended FAILED DEADLINE", "hasEnded"],
  ["NODE_FAIL", "ended FAILED NODE_FAIL", "hasEnded isRestartable"],
  ["BOOT_FAIL", "ended FAILED BOOT_FAIL", "hasEnded isRestartable"],
  ["PREEMPTED", "ended STOPPED PREEMPTED", "hasEnded isRestartable"],
  ["REVOKED", "ended STOPPED REVOKED", "hasEnded"],
  ["CANCELLED", "ended CANCELLED CANCELLED", "hasEnded"],
  ["RESV_DEL_HOLD", "unrecognised - UNKNOWN", "isUnrecognised"],
  ["toString", "unrecognised - UNKNOWN", "isUnrecognised"],
  ["failed", "unrecognised - UNKNOWN", "isUnrecognised"],
  ["FAILED ", "unrecognised - UNKNOWN", "isUnrecognised"],
  ["", "unrecognised - UNKNOWN", "isUnrecognised"],
];

const permissions = [
  "isPending",
  "isRunning",
  "isCompleting",
  "hasEnded",
  "isUnrecognised",
  "isHeld",
  "isRestartable",
] as const;
const permitted = (job: SlurmJob) => permissions.filter((name) => state[name](job)).join(" ");
const show = ({ phase, status, jmState }: state.SlurmStateReading) => `${phase} ${status ?? "-"} ${jmState}`;

describe("a state of Slurm", () => {
  test.each(words)("%s reads as %s", (word, reading, permits) => {
    expect(show(state.readSlurmState(word))).toBe(reading);
    expect(permitted(slurmJob({ state: word }))).toBe(permits);
  });

  test("sacct's CANCELLED names who did it", () => {
    expect(show(state.readSlurmState("CANCELLED by 1000"))).toBe("ended CANCELLED CANCELLED");
    expect(show(state.readSlurmState("FAILED by 1000"))).toBe("unrecognised - UNKNOWN");
  });

  test("any other word permits nothing", () => {
    const known = new Set(words.map(([word]) => word));
    fc.assert(
      fc.property(
        fc.string().filter((word) => !known.has(word)),
        (word) => {
          expect(permitted(slurmJob({ state: word }))).toBe("isUnrecognised");
        },
      ),
    );
  });
});

// biome-ignore format: a table
test.each<[string, Partial<SlurmJob>, boolean]>([
  ["held", { state: "PENDING", priority: 0 }, true],
  ["not held", { state: "PENDING", priority: 1 }, false],
  ["held while it runs, for its successor", { state: "RUNNING", priority: 0 }, true],
  ["held while it ran, and ended so", { state: "FAILED", priority: 0 }, true],
  ["nobody holds it: too many nodes are excluded", { state: "PENDING", priority: 0, reason: "BadConstraints" }, false],
])("a job with priority 0 is held, unless Slurm gave up on its constraints: %s", (_what, change, held) => {
  expect(state.isHeld(slurmJob(change))).toBe(held);
});
