/**
 * Goal    what docs/install.md says is enough: what `make install` puts there is whole, and runs as the units say: each part as a user
 *         without rights, the watcher with the one right to read files; and an Operator account of slurmdbd is enough for SAC and the watchdog
 *         to act on other people's jobs.
 * Method  types the document's commands, with folders of its own; lets systemd-analyze judge the units, and runs the command lines of
 *         those that `systemctl enable` has linked, beside a real Slurm with the same users' rights, by setpriv (there is no systemd to start
 *         them). Then uninstalls.
 */
import { execFileSync, type ChildProcess, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { httpGet } from "@reprise/cli/http-get.ts";
import { dispositionOf, type WireExplain, type WireStory } from "@reprise/cli/wire.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { readToken } from "@reprise/runtime/token-file.ts";
import { type Lab, startLab } from "@reprise/slurm-lab/lab.ts";
import { typedIn } from "@reprise/tools/documents/blocks.ts";
import { blocksFor, root } from "./documents/blocks-for.ts";
import { type } from "./documents/shell.ts";
import { onStep, readJournal, stepsIn } from "./world/journal.ts";
import { freePorts, readyIn } from "./world/server-alone.ts";
import { eccLine, failsOnce, optIn, stuckOnce } from "./world/world.ts";

/** Stands for every user of the units: nobody has fewer rights. */
const nobody = { uid: 65_534, gid: 65_534 };
/** A user of every Debian; here slurmdbd knows it as an Operator, which is all that it is. */
const operator = { name: "bin", uid: 2, gid: 2 };
type Account = Pick<typeof operator, "uid" | "gid">;
/** systemd's own score of what a service could do, 0 to 10. */
const exposureMax = 2.5;
const parts = ["server", "watcher", "watchdog", "sac"];

const folder = mkdtempSync(join(tmpdir(), "reprise-install-"));
const shown = blocksFor(import.meta.url);
/** The one block of the document that begins like this, a command each. */
function commandsOf(start: string): readonly string[] {
  const found = shown.filter(({ text }) => text.startsWith(start));
  expect(found, start).toHaveLength(1);
  return found.flatMap(typedIn).map(({ command }) => command);
}
/** As on a host whose folders are the test's. systemd is not there: units are linked below the folder, and nothing is started. */
async function typed(command: string, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const unbooted = `systemd-sysusers() { command systemd-sysusers --root=${folder} "$@"; }
systemctl() { [ "$1" = daemon-reload ] || command systemctl --quiet --root=${folder} "\${@/--now/--no-reload}"; }`;
  const text = command
    .replaceAll("/usr/local", `${folder}/usr`)
    .replaceAll("$PWD", folder)
    .replaceAll(/(?<![\w/])\/(etc|var\/lib)\//g, `${folder}/$1/`)
    .replaceAll("slurm:", `${nobody.uid}:${nobody.gid}`);
  const env = {
    ...environment(),
    PATH: `${folder}/usr/bin:${environment()["PATH"] ?? ""}`,
    SYSCONFDIR: `${folder}/etc`,
    ...more,
  };
  const { code, words } = await type(`${unbooted}\n${text}`, { cwd: root, env });
  expect(code, `${text}\n${words}`).toBe(0);
}
const unitDir = `${folder}/usr/lib/systemd/system`;
const unitOf = (part: string) => readFileSync(`${unitDir}/reprise-${part}.service`, "utf8");
const valuesOf = (unit: string, key: string) =>
  [...unit.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, v = ""]) => v);

const running: ChildProcess[] = [];
const logs: Record<string, string> = {};
let lab: Lab;

beforeAll(async () => {
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "var/lib"), { recursive: true });
  for (const command of commandsOf("make install PREFIX=")) await typed(command);
  mkdirSync(`${folder}/etc/slurm`);
  for (const command of commandsOf("install -m 755")) await typed(command);
  lab = await startLab({
    credExpireSeconds: 5,
    killWaitSeconds: 3,
    partitions: [{ name: "gpu" }, { name: "ops" }],
    accounting: { operators: [] },
    jobCompScript: `${folder}/etc/slurm/reprise-jobcomp`,
  });
  chmodSync(lab.dir, 0o755);
  for (const command of commandsOf("sacctmgr"))
    await typed(command.replace("user reprise", `user ${operator.name}`), lab.env);
});
afterAll(async () => {
  for (const child of running) child.kill("SIGKILL");
  await lab?.stop();
  for (const path of [lab?.dir, folder]) if (path !== undefined) rmSync(path, { recursive: true, force: true });
});

/** The unit's command line with its variables, user and rights; its folders and ports are the test's. */
function start(part: string, own: Readonly<Record<string, string>>, account: Account = nobody): ChildProcess {
  const unit = unitOf(part);
  const [program = "", ...args] = (valuesOf(unit, "ExecStart")[0] ?? "").split(" ");
  const variables = valuesOf(unit, "Environment").flatMap((line) => line.split(" "));
  const capabilities = valuesOf(unit, "AmbientCapabilities").map(
    (name) => `+${name.replace("CAP_", "").toLowerCase()}`,
  );
  const given = ["-all", ...capabilities].join(",");
  const rights = ["--reuid", `${account.uid}`, "--regid", `${account.gid}`, "--clear-groups", "--no-new-privs"];
  rights.push("--inh-caps", given, "--ambient-caps", given, "--bounding-set", given);
  const env = {
    PATH: "/usr/bin:/bin:/usr/sbin",
    ...lab.env,
    ...Object.fromEntries(variables.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string])),
    ...own,
  };
  const child = spawn("setpriv", [...rights, program, ...args], { cwd: "/", env, stdio: ["ignore", "pipe", "pipe"] });
  for (const pipe of [child.stdout, child.stderr])
    pipe.on("data", (chunk: Buffer) => (logs[part] = `${logs[part] ?? ""}${chunk.toString()}`));
  running.push(child);
  return child;
}

function dataFolder(name: string, { uid, gid }: Account = nobody): string {
  const path = join(folder, "var/lib", name);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, uid, gid);
  return path;
}

const reprise = (...args: string[]) =>
  execFileSync(`${folder}/usr/bin/reprise`, args, { env: { PATH: "/usr/bin:/bin", ...lab.env }, encoding: "utf8" });

let server: {
  readonly http: string;
  readonly internalHttp: string;
  readonly internalGrpc: string;
  readonly token: string;
};
async function firstAttempt(jobId: string): Promise<WireStory | undefined> {
  const { status, text } = await httpGet(
    new URL(`/reprise/v1/jobs/${jobId}/explain`, server.http),
    { authorization: `Bearer ${readToken(server.token)}` },
    5_000,
  );
  return status === 200 ? (JSON.parse(text) as WireExplain).attempts?.[0] : undefined;
}
const completed = (jobId: string) =>
  lab.waitUntil(`job ${jobId} completes`, async () => (await lab.job(jobId))?.state === "COMPLETED", 90_000);

test.each(parts)("systemd finds no mistake in the unit of %s, and little that it could do", (part) => {
  const env = { ...process.env, SYSTEMD_UNIT_PATH: `${unitDir}:/lib/systemd/system` };
  const analyze = (...args: string[]) => execFileSync("systemd-analyze", args, { env, encoding: "utf8" });
  expect(analyze("verify", `${unitDir}/reprise-${part}.service`)).toBe("");
  const judged = analyze("security", "--offline=yes", "--no-pager", `${unitDir}/reprise-${part}.service`);
  expect(Number(/exposure level for \S+: ([\d.]+)/.exec(judged)?.[1])).toBeLessThanOrEqual(exposureMax);
});

async function startServer(data: string): Promise<void> {
  const child = start("server", { REPRISE_DATA: data, ...freePorts });
  const ready = await lab.waitUntil(
    "the server to listen",
    async () => {
      expect(child.exitCode, logs["server"]).toBeNull();
      return readyIn(logs["server"] ?? "");
    },
    90_000,
  );
  server = { ...ready, token: join(data, "token") };
}

test("each part runs as its unit says, and a job's private log is read", async () => {
  const [data, sacData] = [dataFolder("reprise"), dataFolder("reprise-sac")];
  const token = `${folder}/etc/reprise/sac.token`;
  const [makeUser = "", serverUnits = "", makeToken = "", ownToken = "", sacUnits = "", ...more] =
    commandsOf("systemd-sysusers");
  expect(more).toEqual([]);
  for (const command of [makeUser, serverUnits]) await typed(command);
  expect(readFileSync(`${folder}/etc/passwd`, "utf8")).toMatch(/^reprise:/m);
  await startServer(data);
  start("watcher", { REPRISE_DATA: data, REPRISE_SERVER: server.internalGrpc });

  for (const command of [makeToken, ownToken, sacUnits])
    await typed(command, { REPRISE_INTERNAL_URL: server.internalHttp });
  expect(statSync(token)).toMatchObject({ uid: nobody.uid, mode: 0o100_600 });
  const wanted = readdirSync(`${folder}/etc/systemd/system/multi-user.target.wants`).toSorted();
  expect(wanted).toEqual(parts.map((part) => `reprise-${part}.service`).toSorted());
  const sac = { REPRISE_DATA: sacData, REPRISE_SERVER: server.internalGrpc, REPRISE_TOKEN_FILE: token };
  start("watchdog", sac);
  start("sac", sac);
  await lab.waitUntil("SAC to wait for ends", async () => existsSync(`${sacData}/sac/wake`));
  const before = statSync(`${sacData}/sac/wake`).mtimeMs;

  const log = join(lab.dir, "private.log");
  writeFileSync(log, "", { mode: 0o600 });
  const comment = `--comment=${JSON.stringify(optIn())}`;
  const script = `#!/bin/sh\necho '${eccLine}' >&2\nsleep 2\nexit 1\n`;
  const jobId = await lab.sbatch(script, ["--requeue", comment, `--output=${log}`, "--open-mode=append"]);
  const story = await lab.waitUntil("a decision about the job", async () => {
    const attempt = await firstAttempt(jobId);
    return attempt?.advice?.at(-1) === undefined ? undefined : attempt;
  });
  expect(story.signals?.some(({ evidence }) => evidence?.line?.includes("uncorrectable ECC"))).toBe(true);
  // By the default nothing is changed in Slurm.
  expect(await lab.job(jobId)).toMatchObject({ state: "FAILED", restarts: 0 });
  expect(statSync(`${sacData}/sac/wake`).mtimeMs, "the end of the job has poked SAC").toBeGreaterThan(before);
  expect(running.filter(({ exitCode }) => exitCode !== null)).toEqual([]);
});

const act = ["--act", "--partitions", "gpu"];
test.each<[who: string, Account, flags: readonly string[], finding: string, code: number]>([
  ["nobody", nobody, [], "may watch; Slurm lets it not act", 3],
  ["nobody, who is to act", nobody, act, "may watch; Slurm lets it not act", 1],
  ["an Operator", operator, [], "but not write AdminComment", 3],
  ["root", { uid: 0, gid: 0 }, [], "root may act on all jobs, and mark them", 3],
])(
  "doctor, asked by %s, finds by harmless orders what Slurm lets him do",
  (_who, { uid, gid }, flags, finding, code) => {
    const data = mkdtempSync(join(folder, "doctor-"));
    chownSync(data, uid, gid);
    const doctor = [`${folder}/usr/bin/reprise`, "doctor", "--data", data, "--json", ...flags];
    const user = ["--reuid", `${uid}`, "--regid", `${gid}`, "--clear-groups"];
    const env = { PATH: "/usr/bin:/bin:/usr/sbin", ...lab.env };
    const { stdout, status } = spawnSync("setpriv", [...user, ...doctor], { env, encoding: "utf8" });
    const { checks } = JSON.parse(stdout) as { checks: { name: string; says: string }[] };
    expect(checks.find(({ name }) => name === "rights")?.says, stdout).toContain(finding);
    expect(status, stdout).toBe(code);
  },
);

test("an Operator account is enough to restart others' jobs without their bad nodes, and to let go what recovery left held", async () => {
  const data = dataFolder("ops", operator);
  const token = join(data, "sac.token");
  const owner = ["--url", server.internalHttp, "--token-file", server.token];
  writeFileSync(token, reprise("token", "create", "--name", "ops", "--role", "controller", ...owner), { mode: 0o600 });
  chownSync(token, operator.uid, operator.gid);
  const own = {
    REPRISE_DATA: data,
    REPRISE_SERVER: server.internalGrpc,
    REPRISE_TOKEN_FILE: token,
    REPRISE_PARTITIONS: "ops",
    REPRISE_MODE: "act",
    REPRISE_WATCHDOG_MODE: "act",
    REPRISE_FAIL_OPEN_AFTER: "12s",
  };
  start("watchdog", own, operator);
  const sac = start("sac", own, operator);

  const submit = (script: string) =>
    lab.sbatch(`#!/bin/sh\n${script}\n`, [
      "--partition=ops",
      "--requeue",
      `--comment=${JSON.stringify(optIn())}`,
      `--output=${lab.sharedDir}/%j.out`,
    ]);
  const stuck = await submit(stuckOnce());
  await completed(stuck);
  const advice = await lab.waitUntil("the second look", async () => {
    const found = (await firstAttempt(stuck))?.advice?.at(-1);
    return dispositionOf(found) === "CONVERGED" && found;
  });
  const excluded = (advice.nodeConstraints?.exclusions ?? []).join(",");
  expect(await lab.job(stuck)).toMatchObject({ restarts: 1, excluded });
  expect(excluded).not.toBe("");
  const { stdout } = await lab.run("scontrol", ["-o", "show", "job", stuck]);
  expect(stdout).not.toContain("AdminComment="); // It may not be written: the journal alone says whose hold it is.

  const stateDir = join(data, "sac");
  const stop = onStep(stateDir, "done", "requeue-hold", () => sac.kill("SIGKILL"));
  const left = await submit(failsOnce());
  await completed(left);
  stop();
  const released = stepsIn(readJournal(stateDir), left, "watchdog-release").map(({ end }) => end?.outcome);
  expect(released).toEqual(["done"]);
});

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name));

test("a package is put together in a folder that its files do not name, and taken away again", async () => {
  const [install = ""] = commandsOf("make install DESTDIR=");
  await typed(install, { SYSCONFDIR: "/etc" });
  const there = `${folder}/package`;
  const unit = readFileSync(`${there}/usr/lib/systemd/system/reprise-sac.service`, "utf8");
  expect(valuesOf(unit, "ExecStart")).toEqual(["/usr/bin/reprise sac"]);
  expect(unit).not.toContain(folder);
  expect(existsSync(`${there}/etc/reprise/reprise.yaml`)).toBe(true);
  await typed(install.replace("make install", "make uninstall"), { SYSCONFDIR: "/etc" });
  expect(filesIn(there)).toEqual([`${there}/etc/reprise/reprise.yaml`]);
});

test("uninstall leaves the configuration, and nothing else", async () => {
  const [install = ""] = commandsOf("make install PREFIX=");
  writeFileSync(`${folder}/etc/reprise/reprise.yaml`, "data: /elsewhere\n");
  await typed(install);
  expect(readFileSync(`${folder}/etc/reprise/reprise.yaml`, "utf8")).toBe("data: /elsewhere\n");
  await typed(install.replace("make install", "make uninstall"));
  expect(filesIn(`${folder}/usr`)).toEqual([]);
  expect(filesIn(`${folder}/etc/reprise`)).toEqual([
    `${folder}/etc/reprise/reprise.yaml`,
    `${folder}/etc/reprise/sac.token`,
  ]);
});
