/**
 * Goal    whoever is woken sees a recovery happen in the browser, from the failure to the end, without touching anything; and what the page
 *         says is what Slurm did.
 * Method  the demo's training on a real Slurm, a real Chromium on the page that `reprise up` serves. Each word is waited for on the page; the
 *         document is loaded once.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readToken } from "@reprise/runtime/token-file.ts";
import { trainingJob } from "@reprise/slurm-lab/training-job.ts";
import { openBrowser } from "./browser/chromium.ts";
import { optIn, startWorld, type World } from "./world/world.ts";

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([startWorld(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

/** Of a whole recovery, on a machine that does other things, too. */
const patienceMs = 120_000;

async function train(): Promise<string> {
  const dir = join(world.lab.sharedDir, "watched");
  mkdirSync(dir);
  const { script, args } = trainingJob({
    dir,
    nodeProgram: process.execPath,
    steps: 72,
    checkpointEvery: 20,
    faults: [{ attempt: 0, node: 1, step: 36, kind: "ecc" }],
    comment: optIn(),
  });
  return await world.lab.sbatch(script, args);
}

test("a real recovery is watched in a browser: the first page tells that it happens, the job's page tells how, and it ends well", async () => {
  const { ready } = world.reprise();
  const context = await browser.newContext({ viewport: { width: 1366, height: 850 } });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  let documents = 0;
  page.on("load", () => documents++);
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(ready.http);
  await page.getByLabel("Token").fill(readToken(ready.tokenFile));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Nothing is being recovered.").waitFor();

  const jobId = await train();
  await page.getByText("1 covered job runs").waitFor();
  await page.locator("section", { hasText: "Being recovered" }).getByRole("link", { name: jobId }).click();
  const story = page.locator(".time-line");
  for (const told of [
    "root line: cuda-ecc-uncorrectable on n2",
    "Advice 1: restart without n2, because hardware-node",
    "requeued, and held",
    "constrained: its next attempt keeps away from the excluded nodes",
    "released: it may start",
    "attempt 1 starts on",
    "training resumed from step 20",
    "done, and confirmed by a second look",
    "attempt 1 ends: COMPLETED",
  ])
    await story.getByText(told).first().waitFor();
  expect(await page.locator(".line.root").innerText()).toContain("uncorrectable ECC error");
  // The line where it stands in its log, and the curve up to there: both come beside the recovery, and nothing of it waits for them.
  const log = page.locator(".log");
  await log.locator("> .line.around").first().waitFor();
  expect(await log.textContent()).toMatch(/iteration +3\d\/ +72[^]*The root line:/);
  const curve = page.locator(".course svg");
  await curve.locator(".checkpoint").waitFor();
  expect(await curve.getAttribute("aria-label")).toMatch(
    /^Step \d+ at .* to step 3\d at .*; 1 checkpoint, the last at step 20/,
  );
  expect(await curve.locator(".root-line").count()).toBe(1);
  expect(await page.locator(".stages").innerText()).toMatch(
    /scheduler recovered [^]*training resumed [^]*training completed (?!not seen)/,
  );
  await page.getByRole("link", { name: "Now", exact: true }).click();
  await page.getByRole("heading", { name: "Nothing needs a person." }).waitFor();

  expect({ documents, complaints }).toEqual({ documents: 1, complaints: [] });
  const slurm = await world.slurm(jobId);
  expect(slurm).toMatchObject({ state: "COMPLETED", restarts: 1, excluded: "n2" });
  expect(slurm?.nodes).not.toContain("n2");
  await context.close();
});
