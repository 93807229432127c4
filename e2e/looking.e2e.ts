/**
 * Goal    after one real recovery the commands that people look with tell it: what remained of the nodes, which node to drain, what was
 *         achieved, whose job it was; and a repair that a person tells ends what was said against the node: the next restart keeps away
 *         from it no more.
 * Method  the command line beside a real Slurm of four nodes, two of which have what the job asks for: one is without the feature, one
 *         without GPUs. One of the two breaks; then the job fails once more.
 */
import { writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WireFigures } from "@reprise/cli/wire-figures.ts";
import type { WireCleared, WireNodes } from "@reprise/cli/wire-nodes.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { eccLine, optIn, reason, startWorld, type World } from "./world/world.ts";

const program = fileURLToPath(import.meta.resolve("@reprise/cli/main.ts"));

let world: World;
beforeAll(async () => {
  world = await startWorld();
  for (const node of ["n1", "n2", "n3"]) {
    const { code, stderr } = await world.lab.run("scontrol", ["update", `NodeName=${node}`, "AvailableFeatures=h100"]);
    expect(code, stderr).toBe(0);
  }
  const { code, stderr } = await world.lab.run("scontrol", ["update", "NodeName=n3", "Gres="]);
  expect(code, stderr).toBe(0);
});
afterAll(async () => await world?.stop());

/** What the command prints. */
async function reprise(...args: readonly string[]): Promise<string> {
  const { http, tokenFile } = world.reprise().ready;
  const to = ["--url", http, "--token-file", tokenFile];
  const child = spawn(process.execPath, [program, ...args, ...to], {
    env: { ...environment(), ...world.lab.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, told] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (out += part.toString()));
  child.stderr.on("data", (part: Buffer) => (told += part.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  expect(code, told).toBe(0);
  return out;
}
const asJson = async <T>(...args: readonly string[]): Promise<T> => JSON.parse(await reprise(...args, "--json")) as T;
const standingOf = async (node: string) => (await asJson<WireNodes>("nodes", node)).nodes?.[0];

test("one recovery is told by nodes, workflows and figures; a repair ends what was said against the node, and the next restart may have it again", async () => {
  const comment = optIn({ workflow_id: "pretrain" });
  const goOn = `${world.lab.sharedDir}/go-on`;
  const breaksOnce = `echo '${eccLine}' >&2; exit 1`;
  const failsLater = `until [ -e ${goOn} ]; do sleep 0.2; done; exit 7`;
  const script = `case "\${SLURM_RESTART_COUNT:-0}" in 0) ${breaksOnce};; 1) ${failsLater};; esac; echo ok`;
  const job = await world.submit(script, { comment, args: ["--constraint=h100"] });
  const isConfirmed = async () => reason(await world.advice(job)) === "DESIRED_STATE_OBSERVED";
  await world.until("the restart to be confirmed", isConfirmed, 120_000);
  const [broken = ""] = (await world.advice(job))?.nodeConstraints?.exclusions ?? [];
  expect(["n1", "n2"]).toContain(broken);

  const story = (await reprise("explain", job)).replaceAll(/\s+/g, " ");
  expect(story).toContain(
    "1 of 4 nodes are left for the 1 that the job needs (not counted: 1 without gpu:1, 1 without h100).",
  );

  expect(await standingOf(broken)).toMatchObject({
    verdict: "drain",
    evidence: [{ jobId: job, counts: true }],
    excludedBy: [{ jobId: job }],
  });
  expect(await reprise("nodes")).toContain(`scontrol update NodeName=${broken} State=DRAIN`);

  expect(await reprise("workflows")).toContain("pretrain");
  expect(await reprise("workflows", "show", "pretrain")).toContain(job);

  const figures = await asJson<WireFigures>("figures");
  expect(figures).toMatchObject({ recoveries: 1, byCause: [{ causeClass: "hardware-node", count: 1 }] });
  expect(figures.stages?.schedulerRecovered).toBe(1);

  const cleared = await asJson<WireCleared>("nodes", "clear", broken, "--reason", "GPU 3 was replaced");
  expect(cleared).toMatchObject({ ended: 1, standing: { node: broken } });
  expect(await standingOf(broken)).toMatchObject({
    evidence: [{ jobId: job, cleared: true, confidence: 0 }],
    excludedBy: [{ jobId: job }],
    cleared: { reason: "GPU 3 was replaced" },
  });
  // What keeps away from it already stays so, until the next restart.
  expect(await world.slurm(job)).toMatchObject({ restarts: 1, excluded: broken });
  writeFileSync(goOn, "");
  const isAgain = async () => reason(await world.advice(job, 1)) === "DESIRED_STATE_OBSERVED";
  await world.until("the second restart to be confirmed", isAgain, 120_000);
  expect(await world.slurm(job)).toMatchObject({ restarts: 2, excluded: "" });
});
