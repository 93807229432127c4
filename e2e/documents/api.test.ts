/**
 * Goal    each command of docs/api.md works as it is written, and what the document shows of an answer is in it.
 * Method  a server of our own; the commands in the document's order, by a shell. Only the address, and what has to happen in Slurm between
 *         them (job 12345 and job 1 fail; a SAC says what it may do), are the test's. `make` is called where the Makefile is.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environment } from "@reprise/runtime/environment.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { blocksOf, typedIn } from "@reprise/tools/documents/blocks.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Served, serve } from "../api/suite/serve.ts";
import { blocksFor, root } from "./blocks-for.ts";
import { missingIn, type } from "./shell.ts";

let served: Served;
const cwd = mkdtempSync(join(tmpdir(), "documents-"));
beforeAll(async () => {
  served = await serve();
  mkdirSync(join(cwd, ".reprise"));
  writeFileSync(join(cwd, ".reprise/token"), served.token ?? "");
}, 60_000);
afterAll(async () => {
  await served?.stop();
  rmSync(cwd, { recursive: true });
});

/** What the document's first block sets counts for all that follow. A status above 399 fails a command, unless the document shows it. */
async function typed(command: string, { external } = served): Promise<{ code: number; words: string }> {
  const own = `curl() { command curl --fail-with-body "$@"; }\nmake() { command make -C "${root}" "$@"; }`;
  const text = `${own}\n${settings}\n${command}`
    .replaceAll("http://127.0.0.1:8080", external.http)
    .replaceAll("127.0.0.1:9090", external.grpc ?? "");
  return await type(text, { cwd, env });
}
/** `buf` is among the repository's packages. Nothing else: a vitest that `make` starts is not to know that it runs within another one. */
const env = { PATH: `${root}node_modules/.bin:${environment()["PATH"] ?? ""}` };
const isSuite = ({ text }: { readonly text: string }) => text.includes("make conformance");
const all = blocksFor(import.meta.url);
const blocks = all.filter((block) => !isSuite(block));
const [first] = blocks;
const settings = typedIn(first as { text: string; language: string })
  .map(({ command }) => command)
  .filter((line) => /^[A-Z]=/.test(line))
  .join("\n");

async function post(path: string, body: object): Promise<void> {
  const answer = await fetch(new URL(path, served.external.http), {
    method: "POST",
    headers: { authorization: `Bearer ${served.token}` },
    body: JSON.stringify(body),
  });
  expect(answer.status, `${path}: ${await answer.text()}`).toBe(200);
}

/** What happens before a command of the document, by what stands in it. */
const before: readonly (readonly [within: string, happens: () => Promise<void>])[] = [
  ["/v1/workflows", async () => await post("/v1/jobs", { ...failing, workflowId: "llm-7b", jobId: "1" })],
  [
    "onlyActive=true",
    async () => {
      await post("/v1/jobs", { workflowId: "w1", jobId: "12345", state: "JOB_STATUS_FAILED" });
      for (let n = 0; n < 300; n++) {
        const { words } = await typed('curl -s -H "$A" "$U/v1/advice?onlyActive=true"');
        if ((JSON.parse(words) as { count: number }).count === 2) return;
        await systemClock.sleep(100);
      }
      throw new Error("waited in vain for Advice about two jobs");
    },
  ],
  [
    "/reprise/v1/mode",
    async () =>
      await post("/reprise/v1/passes", {
        cluster: "default",
        takenAt: new Date(systemClock.now()).toISOString(),
        mode: "act",
        partitions: ["gpu", "long"],
        sac: { allowedMode: "act", allowedPartitions: ["gpu", "long"], ordersGeneration: "0" },
      }),
  ],
];
const failing = { state: "JOB_STATUS_FAILED", recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE" } };

test("every command of the API's document works, and says what is shown", { timeout: 120_000 }, async () => {
  const left = [...before];
  const said: string[] = [];
  for (const block of blocks)
    for (const { command, says } of typedIn(block)) {
      while (left[0] !== undefined && command.includes(left[0][0])) await left.shift()?.[1]();
      const where = `${block.path}:${block.line}\n${command}`;
      const { code, words } = await typed(command);
      expect(missingIn(words, says), `${where}\n${words}`).toEqual([]);
      if (says.length === 0) expect(code, `${where}\n${words}`).toBe(0);
      said.push(words);
    }
  expect(left, "a command before which something was to happen is no longer there").toEqual([]);
  for (const example of examples)
    expect(
      said.some((words) => hasForm(json(words), example)),
      JSON.stringify(example),
    ).toBe(true);
});

/**
 * Of its own: with the SAC that the document's commands have told of, and that is silent now, nothing is decided. One file of exchanges shows
 * that they are sent there; all of them are `e2e/api/conformance.test.ts`'s.
 */
test("the suite judges a server in the way that the document shows", { timeout: 300_000 }, async () => {
  const other = await serve();
  onTestFinished(async () => await other.stop());
  writeFileSync(join(cwd, ".reprise/token"), other.token ?? "");
  const [{ command } = { command: "" }] = all.filter(isSuite).flatMap(typedIn);
  const { code, words } = await typed(`${command} ARGS='-t 01-jobs.http'`, other);
  expect(words).toMatch(/Tests .*[1-9]\d passed/);
  expect(code, words).toBe(0);
});

/** The answers that the document shows as JSON. `…` stands for anything, or for more. */
const examples = blocksOf(readFileSync(`${root}docs/api.md`, "utf8"))
  .filter(({ language }) => language === "json")
  .map(({ text }) => JSON.parse(text.replaceAll(",…}", "}")) as unknown);

function json(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return undefined;
  }
}

/** Whether an answer has the fields of an example, of its kinds; of a list the first. No line was read here, of which `issues` would tell. */
function hasForm(answer: unknown, example: unknown): boolean {
  if (Array.isArray(example)) return Array.isArray(answer) && (answer.length === 0 || hasForm(answer[0], example[0]));
  if (typeof example !== "object" || example === null) return typeof answer === typeof example;
  if (typeof answer !== "object" || answer === null) return false;
  const has = answer as Readonly<Record<string, unknown>>;
  return Object.entries(example).every(([key, value]) =>
    key === "issues" ? Array.isArray(has[key]) : key in has && hasForm(has[key], value),
  );
}
