/**
 * Goal    fail-open counts as proven only when the canary's own watchdog let the job go; and whatever happens, the job is cancelled.
 * Method  a Slurm of one job, as the canary's few commands see it; a watchdog that writes into the real journal what it did.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settle } from "@reprise/runtime/testing/fake-clock.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { untilAborted } from "@reprise/runtime/life.ts";
import { createJournal } from "@reprise/sac/journal.ts";
import { openJournalFile } from "@reprise/sac/journal-file.ts";
import { found } from "../doctor/found.ts";
import type { CanarySlurm } from "./canary-slurm.ts";
import { type FailOpenDeps, tryFailOpen } from "./fail-open.ts";
import type { SlurmSight } from "./judge.ts";

const asked = { partition: "gpu", folder: "/nowhere", mark: "ab12-hold", sbatchArgs: [], optsIn: false };

interface Faults {
  readonly refusal?: string;
  readonly state?: string;
  /** What the watchdog does to the job, once it runs. */
  readonly watchdog?: "releases" | "nothing" | "somebody-else";
}

/** Runs it to its end, however long it waits. */
async function run({ refusal, state = "FAILED", watchdog = "releases" }: Faults) {
  const life = fakeLife();
  const { clock } = life;
  let sight: SlurmSight = { state, reason: "", isHeld: false, restarts: 0, nodes: "", excluded: [] };
  const sent: string[] = [];
  const dirs: string[] = [];
  const slurm: CanarySlurm = {
    submit: async ({ optsIn }) => (sent.push(`submit ${optsIn}`), "9"),
    look: async () => found(sight),
    async requeueHold(jobId) {
      sent.push(`requeuehold ${jobId}`);
      if (refusal === undefined) sight = { ...sight, state: "PENDING", isHeld: true, restarts: 1 };
      return refusal;
    },
    cancel: async (jobId, mark) => void sent.push(`cancel ${jobId} ${mark}`),
  };
  const deps: FailOpenDeps = {
    slurm,
    life,
    async watchdog({ stateDir, mode }, { signal }) {
      dirs.push(stateDir);
      const journal = createJournal(openJournalFile(join(stateDir, "journal.jsonl"), clock.now()), () => "w");
      const [open] = journal.open();
      expect([mode, open?.steps.map(({ action, outcome }) => `${action} ${outcome}`)]).toEqual([
        "act",
        ["requeue-hold done"],
      ]);
      if (watchdog === "releases" && open !== undefined) {
        const key = journal.begin({ action: "watchdog-release", work: open.work }, clock.now() + 6_000);
        journal.end(key, "done", "", clock.now() + 6_000);
      }
      if (watchdog !== "nothing") sight = { ...sight, isHeld: false };
      await untilAborted(signal);
    },
  };
  let isOver = false;
  const tried = tryFailOpen(asked, deps).finally(() => (isOver = true));
  while (!isOver) {
    if ((clock.nextInMs ?? 0) > 0) await clock.advance(clock.nextInMs ?? 0);
    await settle();
  }
  return { step: await tried, sent, dirs };
}

test("a job that its watchdog let go proves it, and says what is not proven", async () => {
  const { step, sent, dirs } = await run({});
  expect(step).toMatchObject({ verdict: "ok" });
  expect(step.says).toMatch(/after 6 s.*dead SAC/);
  expect(sent).toEqual(["submit false", "requeuehold 9", "cancel 9 ab12-hold"]);
  expect(dirs.map(existsSync)).toEqual([false]);
});

const fails: [what: string, faults: Faults, says: RegExp][] = [
  ["did not let it go", { watchdog: "nothing" }, /not released/],
  ["was overtaken by somebody", { watchdog: "somebody-else" }, /somebody else/],
  ["has nothing to let go: Slurm did not hold it", { refusal: "Access/permission denied" }, /permission denied/],
  ["has nothing to let go: it never ran", { state: "PENDING" }, /did not run/],
];
test.each(fails)("a watchdog that %s proves nothing, and the job is cancelled", async (_what, faults, says) => {
  const { step, sent } = await run(faults);
  expect([step.verdict, step.todo === undefined]).toEqual(["fail", false]);
  expect(step.says).toMatch(says);
  expect(sent.at(-1)).toBe("cancel 9 ab12-hold");
});
