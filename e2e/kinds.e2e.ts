/**
 * Goal    whatever a job asks of Slurm (several partitions, a licence, a reservation, a begin time, nodes of its own to avoid), it is restarted
 *         once, without the bad node, and keeps what it asked for; what Slurm could not launch is let go elsewhere; a node that was taken out of
 *         the cluster is in nobody's way.
 * Method  a job of each kind beside each other under an acting Reprise. Slurm's own words are the judge.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  desired,
  disposition,
  eccLine,
  failsOnce,
  optIn,
  reason,
  startWorld,
  stuckOnce,
  type World,
} from "./world/world.ts";

/** A prolog that fails once, where the first of these is there: it makes the second one of it, and fails when that is gone. */
const folder = mkdtempSync(join(tmpdir(), "kinds-"));
const [failsNext, failsNow] = [join(folder, "fails-next"), join(folder, "fails-now")];

let world: World;
beforeAll(async () => {
  chmodSync(folder, 0o755);
  const prolog = join(folder, "prolog");
  const fails = `while [ -e ${failsNow} ]; do sleep 0.1; done; exit 1`;
  writeFileSync(prolog, `#!/bin/sh\n[ ! -e ${failsNext} ] || { mv ${failsNext} ${failsNow}; ${fails}; }\n`);
  chmodSync(prolog, 0o755);
  world = await startWorld({
    lab: {
      nodes: 6,
      partitions: [
        { name: "gpu", nodes: "n[1-4]" },
        { name: "other", nodes: "n[3-6]" },
      ],
      extraConf: ["Licenses=lic:1", `Prolog=${prolog}`],
    },
    flags: ["--act", "--partitions", "gpu,other"],
  });
  const kept = ["ReservationName=kept", "Users=root", "Nodes=n5,n6", "StartTime=now", "Duration=60"];
  expect(await world.lab.run("scontrol", ["create", "reservation", ...kept])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await world?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const over = (id: string, index = 0) =>
  world.until(
    `the Advice of job ${id} to be over`,
    async () => {
      const found = await world.advice(id, index);
      return found !== undefined && disposition(found) !== "PENDING" && found;
    },
    90_000,
  );
const completed = (id: string) =>
  world.until(`job ${id} to complete`, async () => (await world.slurm(id))?.state === "COMPLETED", 90_000);
const asked = async (id: string) => (await world.lab.run("scontrol", ["-o", "show", "job", id])).stdout;

test("whatever a job asks of Slurm, it is restarted once, without its bad node, and still asks for it", async () => {
  const parent = await world.submit("exit 0", { comment: "" });
  const kinds = [
    { args: ["--partition=gpu,other"], keeps: "JobState=COMPLETED" },
    { args: ["--licenses=lic:1"], keeps: "Licenses=lic:1" },
    { args: ["--partition=other", "--reservation=kept"], keeps: "Reservation=kept" },
    { args: ["--begin=now+3"], keeps: "JobState=COMPLETED" },
    { args: ["--exclude=n2"], keeps: "JobState=COMPLETED" },
    { args: [`--dependency=afterany:${parent}`], keeps: "JobState=COMPLETED" },
  ];
  const ids = await Promise.all(kinds.map(({ args }) => world.submit(stuckOnce(), { args })));
  for (const [i, id] of ids.entries()) {
    await completed(id);
    const kind = kinds[i]?.args.join(" ");
    expect(reason(await over(id)), kind).toBe("DESIRED_STATE_OBSERVED");
    const [first, second] = await world.jobs(id);
    const own = kind === "--exclude=n2" ? ["n2"] : [];
    const excluded = (await world.lab.run("squeue", ["-h", "-t", "all", "-j", id, "-o", "%x"])).stdout.trim();
    expect(excluded, kind).toBe(hostlist([...own, ...(first?.nodes ?? [])]));
    expect(second?.nodes, kind).not.toEqual(first?.nodes);
    expect(await world.slurm(id), kind).toMatchObject({ restarts: 1 });
    expect(await asked(id), kind).toContain(kinds[i]?.keeps);
  }
});

test("a job that Slurm will not requeue says so from the first sight, and is left alone", async () => {
  const id = await world.submit(stuckOnce(), { args: ["--no-requeue"] });
  const attempt = await world.until("the first sight", async () => (await world.attempt(id, 0))?.job);
  expect(JSON.stringify(attempt)).toContain("--no-requeue");
  const advice = await over(id);
  expect([desired(advice), reason(advice)]).toEqual(["RESTARTED", "ACTION_REFUSED"]);
  expect(await world.slurm(id)).toMatchObject({ state: "RUNNING", restarts: 0, excluded: "" });
  await world.lab.run("scancel", [id]);
});

test("a job that is no batch job says so from the first sight, and is left alone", async () => {
  const name = "by-hand";
  const args = [`--comment=${JSON.stringify(optIn())}`, `--job-name=${name}`, "--gres=gpu:1"];
  const ended = world.lab.run("srun", [...args, "sh", "-c", "sleep 8; exit 7"], { limitMs: 90_000 });
  const id = await world.until(
    "it to run",
    async () => (await world.lab.run("squeue", ["-h", "-t", "R", "-n", name, "-o", "%A"])).stdout.trim() || undefined,
  );
  const attempt = await world.until("the first sight", async () => (await world.attempt(id, 0))?.job);
  expect(JSON.stringify(attempt)).toContain("It is not a batch job");
  expect((await ended).code).toBe(7);
  const advice = await over(id);
  expect([desired(advice), reason(advice)]).toEqual(["RESTARTED", "ACTION_REFUSED"]);
  expect(await world.slurm(id)).toMatchObject({ state: "FAILED", restarts: 0, excluded: "" });
});

test("a job that Slurm could not launch, and holds, is let go and runs on another node", async () => {
  writeFileSync(failsNext, "");
  const id = await world.submit("echo ok");
  const node = await world.until("the record of the launch", async () => (await world.jobs(id))[0]?.nodes?.[0]);
  rmSync(failsNow);
  await completed(id);
  expect(await world.slurm(id)).toMatchObject({ excluded: node, restarts: 1 });
  const advice = await over(id, 1);
  expect([desired(advice), reason(advice)]).toEqual(["RELEASED", "DESIRED_STATE_OBSERVED"]);
  await world.lab.nodeResume(node);
});

test("a node that was taken out of the cluster, and that a job still excludes, keeps nothing from its restart", async () => {
  const go = join(world.lab.sharedDir, "go");
  const first = `while [ ! -e ${go} ]; do sleep 0.1; done; echo '${eccLine}' >&2; exit 7`;
  const id = await world.submit(failsOnce().replace("exit 7", first), { args: ["--exclude=n4"] });
  const { nodes: bad } = await world.until("it to run", async () => {
    const job = await world.slurm(id);
    return job?.state === "RUNNING" && job;
  });
  await world.lab.controllerStop();
  for (const [name, before, after] of [
    ["slurm.conf", /^NodeName=n4 .*\n/m, ""],
    ["slurm.conf", "Nodes=n[1-4]", "Nodes=n[1-3]"],
    ["slurm.conf", "Nodes=n[3-6]", "Nodes=n3,n[5-6]"],
    ["gres.conf", "n[1-6]", "n[1-3],n[5-6]"],
  ] as const) {
    const path = join(world.lab.dir, "etc", name);
    writeFileSync(path, readFileSync(path, "utf8").replace(before, after));
  }
  await world.lab.controllerUp();
  // Until Slurm has heard from them again its nodes are `unknown`, and too few would be left to keep away from one.
  const states = async () => (await world.lab.run("sinfo", ["-h", "-N", "-o", "%T"])).stdout;
  await world.until("its nodes to be heard of", async () => !(await states()).includes("unknown"));
  expect(await asked(id)).toContain("ExcNodeList=n4");
  writeFileSync(go, "");
  await completed(id);
  expect(reason(await over(id))).toBe("DESIRED_STATE_OBSERVED");
  expect(await world.slurm(id)).toMatchObject({ restarts: 1, excluded: bad });
});

/** As Slurm shows two or one of ours. */
const hostlist = (names: readonly string[]) => {
  const numbers = names.map((name) => name.slice(1)).toSorted();
  const [first, second] = numbers.map(Number);
  if (first === undefined || second === undefined) return `n${first ?? ""}`;
  return second === first + 1 ? `n[${first}-${second}]` : `n[${first},${second}]`;
};
