/**
 * Goal    each thing that costs a recovery something is found, named, and comes with what to do; a good machine has no remarks.
 * Method  a table: each row changes a good machine in one way.
 */
import { expect, test } from "vitest";
import type { WireClusterMode } from "../wire-mode.ts";
import { renderDoctor } from "../render/doctor.ts";
import { viewOf } from "../render/view.ts";
import { fakeConsole } from "../testing/fake-console.ts";
import { readRight } from "./ask-slurm.ts";
import type { Check } from "./check.ts";
import { checkFacts, severityOf } from "./checks.ts";
import { type Facts, parseConfig, readInstant, readVersion } from "./facts.ts";
import { found, notFound } from "./found.ts";

const now = 1_900_000_000_000;
const slurm = `Configuration data as of 1900000000
AuthInfo                = socket=/run/munge.socket,cred_expire=120
ClusterName             = gpu
DependencyParameters    = (null)
JobCompLoc              = /etc/slurm/reprise-jobcomp
JobCompType             = jobcomp/script
JobFileAppend           = 1
JobRequeue              = 1
KillOnBadExit           = 1
KillWait                = 30 sec
MinJobAge               = 300 sec
PreemptMode             = REQUEUE
PrivateData             = jobs,usage
RequeueExit             = (null)
RequeueExitHold         = (null)
SchedulerParameters     = (null)
SlurmUser               = slurm(64030)
SLURM_VERSION           = 22.05.8
`;
const script = { text: "#!/bin/sh\n# reprise-jobcomp: …", isExecutable: true, wokeAt: now - 60_000 };
const look = {
  jobs: 7,
  unreadable: 0,
  partitions: ["gpu", "long"],
  dependents: 0,
  logs: [{ path: "/home/ada/run.log", isReadable: found(true as const) }],
  lastEndAt: now - 61_000,
};
const wanted: Facts["wanted"] = {
  mode: "act",
  partitions: ["gpu"],
  slurmReleases: [],
  failOpenAfter: 180_000,
  serverGrace: 600_000,
  requireWatchdog: true,
};
const sac = { at: now - 1000, passOkAt: now - 1000, serverOkAt: now - 1000, mode: "act" } as const;
const beats = { sac, watchdog: { at: now - 1000, mode: "act" }, isKillSwitchOn: false } as const;

const mode = {
  mode: "act",
  partitions: ["gpu"],
  orders: { generation: "3", mode: { mode: "act", partitions: ["gpu"], note: { by: "ann", reason: "canary passed" } } },
  sac: { allowedMode: "act", allowedPartitions: ["gpu", "long"], ordersGeneration: "3" },
  reportedAt: new Date(now - 2_000).toISOString(),
  lease: { holder: "login1 a", term: "7", expiresAt: new Date(now + 20_000).toISOString() },
};

const good: Facts = {
  now,
  wanted,
  programs: ["scontrol", "squeue"].map((name) => ({ name, path: found(`/usr/bin/${name}`) })),
  clientVersion: found("22.05.8"),
  slurmConfig: found(parseConfig(slurm)),
  slurmSkewMs: 500,
  user: "slurm",
  rights: { mayAct: found(true), mayMark: found(true) },
  looked: found(look),
  endScript: found(script),
  dataFolder: { path: "/data", isWritable: found(true), freeBytes: 10 ** 12, isShared: false, clockSkewMs: 3 },
  beats,
  server: { url: "http://127.0.0.1:8080", answer: found({ isReady: true, skewMs: -400, mode: found(mode) }) },
};
const serverSaying = (told: WireClusterMode): Partial<Facts> => ({
  server: { url: "http://x", answer: found({ isReady: true, mode: found(told) }) },
});
const serverSays = (change: Partial<WireClusterMode>) => serverSaying({ ...mode, ...change });
const braking = (kind: string) => serverSays({ sac: { ...mode.sac, brakes: [{ kind, heldBack: 2 }] } });
const { lease, ...unleased } = mode;
const nobodys = { mayAct: found(false), mayMark: found(false) };
const visible = found(new Map([...parseConfig(slurm), ["PrivateData", "none"]]));
const slurmWith = (key: string, value: string): Partial<Facts> => ({
  slurmConfig: found(new Map([...parseConfig(slurm), [key, value]])),
});
const ofRelease = (version: string): Partial<Facts> => ({
  ...slurmWith("SLURM_VERSION", version),
  clientVersion: found(version),
});

test("a release that nobody tried and the operator allows is no remark", () => {
  const facts = { ...good, ...ofRelease("26.11.0-0rc1"), wanted: { ...wanted, slurmReleases: ["26.11"] } };
  expect(checkFacts(facts).filter(({ verdict }) => verdict !== "ok")).toEqual([]);
});

test.each([
  ["slurm-wlm 22.05.8", "22.05.8"],
  ["slurm 25.11.7", "25.11.7"],
])("%s is release %s", (said, version) => expect(readVersion(found(said))).toEqual(found(version)));

test("a good machine has no remarks", () => {
  expect(checkFacts(good).filter(({ verdict }) => verdict !== "ok")).toEqual([]);
});

test.each<[string, Partial<Facts>, string, "warn" | "fail"]>([
  [
    "a program is missing",
    { programs: [{ name: "squeue", path: notFound("not on the PATH") }] },
    "Slurm programs",
    "fail",
  ],
  [
    "programs of two installations",
    {
      programs: [
        { name: "a", path: found("/usr/bin/a") },
        { name: "b", path: found("/opt/slurm/bin/b") },
      ],
    },
    "Slurm programs",
    "warn",
  ],
  [
    "slurmctld does not answer",
    { slurmConfig: notFound("Unable to contact slurm controller") },
    "Slurm controller",
    "fail",
  ],
  ["a user who may not act, where it shall", { user: "ada", rights: nobodys, slurmConfig: visible }, "rights", "fail"],
  [
    "a user who may not act, where it shall not",
    { user: "ada", rights: nobodys, slurmConfig: visible, wanted: { ...wanted, mode: "observe" } },
    "rights",
    "warn",
  ],
  ["an operator cannot mark", { rights: { mayAct: found(true), mayMark: found(false) } }, "rights", "warn"],
  ["rights that could not be asked", { rights: { mayAct: found(true), mayMark: notFound("busy") } }, "rights", "warn"],
  ["jobs that cannot be brought back", slurmWith("JobRequeue", "0"), "JobRequeue", "warn"],
  ["a crash that looks like a hang", slurmWith("KillOnBadExit", "0"), "KillOnBadExit", "warn"],
  ["logs that are emptied", slurmWith("JobFileAppend", "0"), "JobFileAppend", "warn"],
  ["exit codes that hold", slurmWith("RequeueExitHold", "3,100-110"), "RequeueExitHold", "warn"],
  ["a release that nobody tried, where it shall act", ofRelease("20.11.9"), "Slurm controller", "fail"],
  [
    "a release that nobody tried, where it shall not",
    { ...ofRelease("27.05.1"), wanted: { ...wanted, mode: "observe", slurmReleases: ["26.11"] } },
    "Slurm controller",
    "warn",
  ],
  ["programs of another release", { clientVersion: found("23.11.4") }, "Slurm programs", "warn"],
  ["programs that say no release", { clientVersion: notFound("exit code 1") }, "Slurm programs", "warn"],
  ["a look that fails", { looked: notFound("slurm_load_jobs error") }, "look at Slurm", "fail"],
  ["rows that cannot be read", { looked: found({ ...look, unreadable: 2 }) }, "look at Slurm", "warn"],
  ["a partition that is not there", { wanted: { ...wanted, partitions: ["gpu", "gup"] } }, "partitions", "fail"],
  ["dependents", { looked: found({ ...look, dependents: 3 }) }, "dependents", "warn"],
  [
    "logs that cannot be read",
    { looked: found({ ...look, logs: [{ path: "/x", isReadable: notFound("EACCES") }] }) },
    "log files",
    "warn",
  ],
  ["a script that does not fire", { looked: found({ ...look, lastEndAt: now + 1_000 }) }, "end-of-job script", "warn"],
  ["no server", { server: { url: "http://x", answer: notFound("ECONNREFUSED") } }, "server", "warn"],
  [
    "a server that is not ready",
    { server: { url: "http://x", answer: found({ isReady: false, mode: found(mode) }) } },
    "server",
    "warn",
  ],
  ["SAC is silent", { beats: { ...beats, sac: { ...sac, at: now - 300_000 } } }, "SAC", "warn"],
  ["no watchdog beside SAC", { beats: { sac, isKillSwitchOn: false } }, "watchdog", "fail"],
  ["a watchdog that is silent", { beats: { ...beats, watchdog: { at: 0, mode: "act" } } }, "watchdog", "fail"],
  ["a watchdog that observes", { beats: { ...beats, watchdog: { at: now, mode: "observe" } } }, "watchdog", "fail"],
  ["the kill switch", { beats: { ...beats, isKillSwitchOn: true } }, "kill switch", "warn"],
  [
    "a server that does not say what may be done",
    { server: { url: "http://x", answer: found({ isReady: true, mode: notFound("it asks for a token") }) } },
    "mode",
    "warn",
  ],
  ["no SAC has reported to the server", serverSaying({ orders: { generation: "0" }, lease }), "mode", "warn"],
  ["an order that the server has lost", serverSays({ orders: { generation: "2" } }), "mode", "warn"],
  ["an order that SAC has not taken", serverSays({ orders: { generation: "4" } }), "mode", "warn"],
  ["nobody holds the lease", serverSaying(unleased), "lease", "warn"],
  ["a stop that was ordered", braking("stop-order"), "stop", "warn"],
  ["the kill switch on another host", braking("kill-switch"), "kill switch", "warn"],
  ["the cap on restarts", braking("restarts-per-minute"), "restarts a minute", "warn"],
  ["slurmctld's clock is off", { slurmSkewMs: -9_500 }, "clock", "warn"],
  ["no script at the end of a job", slurmWith("JobCompType", "jobcomp/none"), "end-of-job script", "warn"],
  ["another script", { endScript: found({ ...script, text: "#!/bin/sh\nlogger done" }) }, "end-of-job script", "warn"],
  ["a script that cannot be read", { endScript: notFound("ENOENT") }, "end-of-job script", "warn"],
  [
    "a script that may not be executed",
    { endScript: found({ ...script, isExecutable: false }) },
    "end-of-job script",
    "fail",
  ],
  [
    "a script that finds nobody to wake",
    { endScript: found({ text: script.text, isExecutable: true }) },
    "end-of-job script",
    "warn",
  ],
  ["jobs are forgotten soon", slurmWith("MinJobAge", "60 sec"), "MinJobAge", "warn"],
  ["a setting in words that we do not know", slurmWith("MinJobAge", "for ever"), "MinJobAge", "warn"],
  ["jobs die slowly", slurmWith("KillWait", "600 sec"), "KillWait", "warn"],
  [
    "dependents are cancelled",
    slurmWith("DependencyParameters", "disable_remote_singleton,kill_invalid_depend"),
    "dependencies",
    "warn",
  ],
  [
    "the server's clock is off",
    { server: { url: "http://x", answer: found({ isReady: true, skewMs: 61_000, mode: found(mode) }) } },
    "clock",
    "warn",
  ],
  ["the file system's clock is off", { dataFolder: { ...good.dataFolder, clockSkewMs: -9_000 } }, "clock", "warn"],
  [
    "the data folder cannot be written",
    { dataFolder: { path: "/data", isWritable: notFound("EACCES") } },
    "data folder",
    "fail",
  ],
  [
    "the data folder is on another machine",
    { dataFolder: { ...good.dataFolder, isShared: true } },
    "data folder",
    "fail",
  ],
  ["the disk is nearly full", { dataFolder: { ...good.dataFolder, freeBytes: 10 ** 8 } }, "data folder", "warn"],
])("%s", (_what, change, name, verdict) => {
  const remarks = checkFacts({ ...good, ...change }).filter((check) => check.verdict !== "ok");
  expect(remarks.map((check) => [check.name, check.verdict])).toEqual([[name, verdict]]);
  expect(remarks[0]?.todo).toMatch(/\w/);
});

test("the restart delay is told as Slurm has it", () => {
  const delayOf = (facts: Facts) => checkFacts(facts).find(({ name }) => name === "restart delay")?.says;
  expect(delayOf(good)).toMatch(/^121 s/);
  expect(delayOf({ ...good, ...slurmWith("SchedulerParameters", "requeue_delay=0") })).toMatch(/^1 s/);
});

test("a machine with remarks, as it is shown", async () => {
  const facts = {
    ...good,
    ...slurmWith("JobCompType", "jobcomp/none"),
    dataFolder: { path: "/data", isWritable: notFound("EACCES: permission denied") },
  };
  await expect(renderDoctor(checkFacts(facts), viewOf(fakeConsole()))).toMatchFileSnapshot(
    "../render/testdata/doctor.txt",
  );
});

test("one who sees his own jobs only cannot observe a cluster", () => {
  const remarks = checkFacts({ ...good, user: "ada", rights: nobodys }).filter(({ verdict }) => verdict === "fail");
  expect(remarks.map(({ name }) => name)).toEqual(["rights", "sight"]);
});

test("before anything was started here, no part is missed", () => {
  const names = checkFacts({ ...good, beats: { isKillSwitchOn: false } }).map(({ name }) => name);
  expect(names).not.toContain("SAC");
  expect(names).not.toContain("watchdog");
});

test("the exit code is the worst finding", () => {
  const of = (...verdicts: Check["verdict"][]) =>
    severityOf(verdicts.map((verdict) => ({ name: "", verdict, says: "" })));
  expect([of("ok"), of("ok", "warn"), of("warn", "fail", "ok")]).toEqual([0, 3, 1]);
});

test.each([
  ["slurm_update error: Invalid user id", found(false)],
  ["slurm_update error: Access/permission denied", found(false)],
  ["slurm_update error: Invalid node name specified", found(true)],
  ["delete_reservation ReservationName=x: Requested reservation is invalid", found(true)],
  [
    "Unable to contact slurm controller (connect failure)",
    notFound("Unable to contact slurm controller (connect failure)"),
  ],
])("what slurmctld answers to an order about nothing: %s", (words, right) => {
  expect(readRight(notFound(words))).toEqual(right);
});

test("slurmctld's clock is in its answer", () => {
  expect(readInstant(slurm)).toBe(now + 500);
  expect(readInstant("Configuration data as of 2030-01-31T14:00:00")).toBeUndefined();
});
