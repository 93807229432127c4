/**
 * real-world: the world of the contract's stories on a real Slurm: a lab of its own, with SAC's own commands and parsers.
 *
 * Writes   the lab's folder: a Prolog that fails when it is told to, and a scontrol that can lose an answer.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemChance } from "@reprise/runtime/chance.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { createCommandSlurm } from "@reprise/sac/slurm/command/command-slurm.ts";
import { createRunner } from "@reprise/sac/slurm/command/run.ts";
import { clusterOfStories, type Does, type JobSpec, type User, type World } from "@reprise/sac/slurm/contract-world.ts";
import type { Story } from "@reprise/sac/slurm/contract/story.ts";
import { startLab, type Lab } from "@reprise/slurm-lab/lab.ts";

export interface RealWorld extends World {
  /** Ends the lab; nothing of it is left. */
  end(): Promise<void>;
}

/** Users whom every Debian has, and who have no jobs of their own. */
const unixUsers: Readonly<Record<User, string>> = {
  root: "root",
  owner: "daemon",
  stranger: "nobody",
  operator: "bin",
};

export async function realWorld(cluster: Story["cluster"]): Promise<RealWorld> {
  const dir = mkdtempSync(join(tmpdir(), "rl-"));
  chmodSync(dir, 0o755);
  writeScript(`${dir}/prolog`, `f=${dir}/fail-prolog.$SLURMD_NODENAME\n[ ! -e $f ] || { rm $f; exit 1; }`);
  writeScript(`${dir}/epilog`, `f=${dir}/fail-epilog.$SLURMD_NODENAME\n[ ! -e $f ] || { rm $f; exit 1; }`);
  const lab = await startLab({ dir, ...optionsOf(cluster, dir) });
  const { name, nodes } = clusterOfStories.reservation;
  const reservation = [
    `ReservationName=${name}`,
    "Users=root",
    `Nodes=${nodes.join(",")}`,
    "StartTime=now",
    "Duration=60",
  ];
  const { code, stderr } = await lab.run("scontrol", ["create", "reservation", ...reservation]);
  if (code !== 0) throw new Error(`scontrol create reservation ${reservation.join(" ")}: ${stderr}`);
  for (const [node, features] of Object.entries(clusterOfStories.features)) {
    const update = [`NodeName=${node}`, `AvailableFeatures=${features.join(",")}`];
    const updated = await lab.run("scontrol", ["update", ...update]);
    if (updated.code !== 0) throw new Error(`scontrol update ${update.join(" ")}: ${updated.stderr}`);
  }
  chmodSync(lab.sharedDir, 0o777); // Other users' jobs write here too.
  const end = async () => {
    await lab.stop({ files: "remove" });
    rmSync(dir, { recursive: true, force: true }); // What is ours in it: the lab leaves that alone.
  };
  return { ...worldOf(lab, wrappedScontrol(lab)), end };
}

function optionsOf(cluster: Story["cluster"], dir: string) {
  const { nodes, partitions, credExpireSeconds, killWaitSeconds, requeueExit, requeueExitHold } = clusterOfStories;
  const lines = partitions.map((one) => {
    const { name, nodes: of } = one;
    const tier =
      "priorityTier" in one ? ` PriorityTier=${one.priorityTier} PreemptMode=${one.preemptMode.toUpperCase()}` : "";
    return `PartitionName=${name} Nodes=${of.join(",")}${tier} MaxTime=INFINITE State=UP`;
  });
  const fast = "SchedulerParameters=sched_interval=1,bf_interval=5,sched_min_interval=10000,batch_sched_delay=0";
  return {
    nodes: nodes.length,
    credExpireSeconds,
    killWaitSeconds,
    minJobAgeSeconds: cluster === "forgetful" ? 5 : 600,
    partitions: [{ name: "gpu", nodes: "n[1-3]" }],
    ...(cluster === "accounted" ? { accounting: { operators: [unixUsers.operator] } } : {}),
    extraConf: [
      "PreemptType=preempt/partition_prio",
      "PreemptMode=REQUEUE",
      `Licenses=${clusterOfStories.license}:1`,
      `RequeueExit=${requeueExit}`,
      `RequeueExitHold=${requeueExitHold}`,
      `Prolog=${dir}/prolog`,
      ...lines.slice(1),
      ...(cluster === "forgetful" ? [`${fast},nohold_on_prolog_fail`] : []),
      ...(cluster === "expediting"
        ? [`${fast},requeue_delay=0`, "SlurmctldParameters=enable_expedited_requeue", `Epilog=${dir}/epilog`]
        : []),
    ],
  };
}

interface Wrapped {
  readonly bin: string;
  lose(how: "applied" | "not-applied"): void;
}

/** It dies after, or instead of, the real command: what that did stays, what it said is gone. */
function wrappedScontrol(lab: Lab): Wrapped {
  const [bin, flag] = [`${lab.dir}/bin`, `${lab.dir}/lose-next-answer`];
  mkdirSync(bin);
  const lose = `how=$(cat ${flag}); rm ${flag}; [ "$how" = not-applied ] || /usr/bin/scontrol "$@"; kill -9 $$`;
  // A look asks scontrol, too: it is the answer to a command that is lost.
  const isLost = `[ "$1" != show ] && [ -e ${flag} ]`;
  writeScript(`${bin}/scontrol`, `if ${isLost}; then ${lose}; fi\nexec /usr/bin/scontrol "$@"`);
  return { bin, lose: (how) => writeFileSync(flag, how) };
}

function writeScript(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}

function worldOf(lab: Lab, scontrol: Wrapped): World {
  const as = (user: User, program: string, args: readonly string[], input?: string) => {
    const options = input === undefined ? {} : { input };
    return user === "root"
      ? lab.run(program, args, options)
      : lab.run("runuser", ["-u", unixUsers[user], "--", program, ...args], options);
  };
  const submit = async ({ does, afterSeconds, args = [], user = "root" }: JobSpec) => {
    const output = args.some((arg) => arg.startsWith("--output")) ? [] : ["--output=/dev/null"];
    const all = ["--parsable", ...output, ...args];
    const { code, stdout, stderr } = await as(user, "sbatch", all, script(lab, does, afterSeconds));
    if (code !== 0) throw new Error(`sbatch ${all.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  const slurm = createCommandSlurm({
    run: createRunner(systemClock),
    clock: systemClock,
    chance: systemChance,
    log: fakeLife().log,
    env: { ...lab.env, PATH: `${scontrol.bin}:${lab.plan.path}` },
    stateDir: lab.sharedDir,
    cluster: "lab",
    node: process.execPath,
  });
  return {
    slurm,
    submit,
    async submitHet(does = "run") {
      const het = `#!/bin/sh\n#SBATCH --output=/dev/null\n#SBATCH hetjob\n#SBATCH --ntasks=1\n${bodyOf(does)}\n`;
      return lab.sbatch(het);
    },
    async submitInteractive() {
      const name = `interactive-${systemChance.uuid()}`;
      void lab.run("srun", ["--ntasks=1", `--job-name=${name}`, "sleep", "120"], { limitMs: 150_000 });
      return lab.waitUntil("srun has its job", async () => {
        const { stdout } = await lab.run("squeue", ["-h", "-n", name, "-o", "%A"]);
        return stdout.trim() === "" ? undefined : stdout.trim();
      });
    },
    async type(user, program, ...args) {
      const { code = -1, stderr } = await as(user, program, args);
      return { rc: code, stderr };
    },
    async starts(jobId) {
      const file = `${lab.sharedDir}/starts-${jobId}`;
      return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    },
    loseNextAnswer: scontrol.lose,
    stopController: () => lab.controllerStop(),
    startController: () => lab.controllerUp(),
    async crashController() {
      await lab.controllerKill();
      await lab.controllerUp();
    },
    pauseController: () => lab.controllerPause(),
    resumeController: () => lab.controllerResume(),
    nodeLost: (name) => lab.nodeLost(name),
    nodeBack: (name) => lab.nodeUp(name),
    failEpilog: (name) => writeFileSync(`${lab.dir}/fail-epilog.${name}`, ""),
    failProlog: (name) => writeFileSync(`${lab.dir}/fail-prolog.${name}`, ""),
    pass: (ms) => systemClock.sleep(ms),
    until: (what, look, withinMs) => lab.waitUntil(what, look, withinMs),
  };
}

function script(lab: Lab, does: Does, afterSeconds: number | undefined): string {
  const counts = `echo "\${SLURM_RESTART_COUNT-unset}" >> ${lab.sharedDir}/starts-$SLURM_JOB_ID`;
  const waits = afterSeconds === undefined ? "" : `sleep ${afterSeconds}\n`;
  return `#!/bin/sh\n${counts}\n${waits}${bodyOf(does)}\n`;
}

function bodyOf(does: Does): string {
  switch (does) {
    case "run":
      return "exec sleep 3600";
    case "trap":
      return "trap 'sleep 2; exit 3' TERM\nsleep 3600 & wait";
    case "die":
      return "kill -9 $$";
    case "fail":
      return "exit 7";
    case "complete":
      return "exit 0";
    default:
      return `exit ${does}`;
  }
}
