/**
 * Goal    the parts on hosts of their own, as docs/install.md shows them, bring a job back: by TLS, each with a token of its own.
 * Method  the document's commands, in its order, on one machine beside a real Slurm: the address, the folders and the free ports are the
 *         test's. What stays is a child of the test's shell.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { environment } from "@reprise/runtime/environment.ts";
import { createAuthority } from "@reprise/server/gateway/testing/certificate.ts";
import type { ServerReady } from "@reprise/server/config.ts";
import { type Lab, startLab } from "@reprise/slurm-lab/lab.ts";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePorts, readyIn } from "../world/server-alone.ts";
import { optIn, stuckOnce } from "../world/world.ts";
import { blocksFor, root } from "./blocks-for.ts";
import { type } from "./shell.ts";

const stays = /^reprise (server|watchdog|sac|watcher) /;
const metricsPorts = Object.fromEntries(
  ["WATCHER", "SAC", "WATCHDOG"].map((part) => [`REPRISE_${part}_METRICS_PORT`, "0"]),
);

let lab: Lab;
let ready: ServerReady | undefined;
/** What a host has in `/etc`; also where the commands are typed. */
let etc: string;
const running: ChildProcess[] = [];
beforeAll(async () => {
  lab = await startLab({ credExpireSeconds: 5, killWaitSeconds: 3, partitions: [{ name: "gpu" }] });
  etc = join(lab.dir, "etc-of-hosts");
  for (const dir of [etc, join(lab.dir, "bin")]) mkdirSync(dir);
  writeFileSync(join(lab.dir, "bin/reprise"), `#!/bin/sh\nexec ${process.execPath} ${root}apps/cli/src/main.ts "$@"\n`);
  chmodSync(join(lab.dir, "bin/reprise"), 0o755);
  const authority = createAuthority("a site");
  const { cert, key } = authority.issue("reprise");
  for (const [name, text] of Object.entries({ "site-ca.pem": authority.cert, "reprise.pem": cert, "reprise.key": key }))
    writeFileSync(join(etc, name), text, { mode: 0o600 });
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await lab?.stop({ files: "remove" });
});

/** The hosts are one. */
const here = (command: string) =>
  command
    .replaceAll("10.0.0.5:8081", ready === undefined ? "" : new URL(ready.internalHttp).host)
    .replaceAll("10.0.0.5:9091", ready?.internalGrpc ?? "")
    .replaceAll("10.0.0.5", "127.0.0.1")
    .replaceAll("/etc/", `${etc}/`)
    .replaceAll("/var/lib/", `${lab.dir}/`);

const outer = environment();
const env = () => ({
  ...outer,
  ...lab.env,
  ...freePorts,
  ...metricsPorts,
  PATH: `${lab.dir}/bin:${outer["PATH"] ?? ""}`,
});

async function start(command: string): Promise<void> {
  const child = spawn("bash", ["-c", `exec ${command}`], { cwd: etc, env: env(), stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  let words = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk: Buffer) => (words += chunk.toString()));
  if (!command.startsWith("reprise server")) return;
  ready = await lab.waitUntil(
    "the server to listen",
    async () => {
      expect(child.exitCode, words).toBeNull();
      return readyIn(words);
    },
    90_000,
  );
}

test("parts on hosts of their own bring a job back", { timeout: 240_000 }, async () => {
  let exported = "";
  for (const { command } of blocksFor(import.meta.url).flatMap(typedIn)) {
    if (command.startsWith("export ")) exported = here(command);
    else if (stays.test(command)) await start(here(command));
    else {
      const { code, words } = await type(`${exported}\n${here(command)}`, { cwd: etc, env: env() });
      expect(code, `${command}\n${words}`).toBe(0);
    }
  }
  expect(running.length, "the server, the watchdog, SAC, a watcher").toBe(4);
  const comment = `--comment=${JSON.stringify(optIn())}`;
  const jobId = await lab.sbatch(`#!/bin/sh\n${stuckOnce()}\n`, [
    "--requeue",
    comment,
    `--output=${lab.sharedDir}/%j.out`,
  ]);
  await lab.waitUntil("the job to complete", async () => (await lab.job(jobId))?.state === "COMPLETED", 90_000);
  expect(await lab.job(jobId)).toMatchObject({ restarts: 1 });
  expect(running.map(({ exitCode }) => exitCode)).toEqual([null, null, null, null]);
});
