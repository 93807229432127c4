/**
 * Goal    each thing that costs a recovery something is found, named, and comes with what to do; a good machine has no remarks.
 * Method  a table: each row changes a good machine in one way.
 */
import { expect, test } from "vitest";
import { renderDoctor } from "../render/doctor.ts";
import { viewOf } from "../render/view.ts";
import { fakeConsole } from "../testing/fake-console.ts";
import { checkFacts } from "./checks.ts";
import { type Facts, parseConfig } from "./facts.ts";

const slurm = `Configuration data as of 2030-01-31T14:00:00
AuthInfo                = socket=/run/munge.socket,cred_expire=120
ClusterName             = gpu
DependencyParameters    = (null)
JobCompLoc              = /etc/slurm/reprise-jobcomp
JobCompType             = jobcomp/script
KillWait                = 30 sec
MinJobAge               = 300 sec
SchedulerParameters     = (null)
SlurmUser               = slurm(64030)
SLURM_VERSION           = 22.05.8
`;
const found = <T>(value: T) => ({ kind: "found", value }) as const;
const notFound = (why: string) => ({ kind: "not-found", why }) as const;
const script = { text: "#!/bin/sh\n# reprise-jobcomp: …", isExecutable: true, hasWakeFile: true };

const good: Facts = {
  programs: ["scontrol", "squeue"].map((name) => ({ name, path: found(`/usr/bin/${name}`) })),
  slurmConfig: found(parseConfig(slurm)),
  user: "slurm",
  endScript: found(script),
  dataFolder: { path: "/data", isWritable: found(true), freeBytes: 10 ** 12, isShared: false, clockSkewMs: 3 },
  serverSkewMs: -400,
};
const slurmWith = (key: string, value: string): Partial<Facts> => ({
  slurmConfig: found(new Map([...parseConfig(slurm), [key, value]])),
});

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
  ["a user who may not act", { user: "ada" }, "rights", "warn"],
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
    { endScript: found({ ...script, hasWakeFile: false }) },
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
  ["the server's clock is off", { serverSkewMs: 61_000 }, "clock", "warn"],
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
