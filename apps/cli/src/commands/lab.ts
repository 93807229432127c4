/**
 * lab: a real Slurm on this machine, in one folder, to try things and to break them.
 *
 * Gives   `start` prints on stdout the line that points Slurm's commands at the lab: `eval "$(reprise lab start)"`.
 * Keeps   The lab is found again by its folder, from any process; `stop` ends all of its processes.
 */
import { tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { systemClock } from "@reprise/runtime/clock.ts";
import type { Lab } from "@reprise/slurm-lab/lab.ts";
import type { LabStatus } from "@reprise/slurm-lab/status.ts";
import type { Console } from "../console.ts";
import { Failure } from "../failure.ts";

interface LabFlags {
  readonly dir?: string;
}
interface StartFlags extends LabFlags {
  readonly nodes?: number;
  readonly gpus?: number;
  readonly credExpire?: number;
  readonly install?: boolean;
}

export function define(command: Command, console: Console): void {
  command.helpCommand(false);
  const dirOf = ({ dir }: LabFlags) =>
    dir === undefined ? join(tmpdir(), `reprise-lab-${userInfo().uid}`) : resolve(console.workDir, dir);
  const sub = (name: string, says: string) =>
    command
      .command(name)
      .description(says)
      .exitOverride()
      .option("--dir <dir>", "the lab's folder; short, and on a local disk");
  /** One change to a running lab. */
  const change = (name: string, says: string, act: (lab: Lab) => Promise<void> | void) =>
    sub(name, says).action((flags: LabFlags) =>
      inLab(async () => act((await loadLab()).openLab(dirOf(flags), lifeOf(console)))),
    );
  const nodeChange = (
    name: string,
    says: string,
    act: (lab: Lab, node: string, flags: { silent?: boolean }) => Promise<void>,
  ) =>
    sub(name, says)
      .argument("<node>", "n1, n2, …")
      .action((node: string, flags: LabFlags & { silent?: boolean }) =>
        inLab(async () => act((await loadLab()).openLab(dirOf(flags), lifeOf(console)), node, flags)),
      );

  sub("start", "start it; prints `export SLURM_CONF=…`")
    .option("--nodes <n>", "how many (4)", wholeNumber)
    .option("--gpus <n>", "fake GPUs a node (8)", wholeNumber)
    .option("--cred-expire <seconds>", "restart delay of Slurm less one second (120)", wholeNumber)
    .option("--install", "install Slurm's Debian packages when they are missing (root)")
    .action((flags: StartFlags) => inLab(() => start(dirOf(flags), flags, console)));
  sub("stop", "end it and everything that runs in it")
    .option("--remove", "its folder too")
    .action((flags: LabFlags & { remove?: boolean }) =>
      inLab(() => stop(dirOf(flags), flags.remove === true, console)),
    );
  sub("status", "what of it runs")
    .option("--json", "as JSON")
    .action((flags: LabFlags & { json?: boolean }) =>
      inLab(async () => {
        const status = await (await loadLab()).openLab(dirOf(flags), lifeOf(console)).status();
        console.out(flags.json === true ? `${JSON.stringify(status, undefined, 2)}\n` : renderStatus(status));
      }),
    );
  nodeChange("node-lost", "a node dies", (lab, node, { silent }) =>
    lab.nodeLost(node, { silent: silent === true }),
  ).option("--silent", "Slurm is not told, and finds out by itself");
  nodeChange("node-up", "its slurmd comes back", (lab, node) => lab.nodeUp(node));
  nodeChange("node-resume", "Slurm may use it again", (lab, node) => lab.nodeResume(node));
  change("controller-stop", "slurmctld ends in order", (lab) => lab.controllerStop());
  change("controller-kill", "slurmctld dies", (lab) => lab.controllerKill());
  change("controller-pause", "slurmctld hangs", (lab) => lab.controllerPause());
  change("controller-resume", "slurmctld goes on", (lab) => lab.controllerResume());
  change("controller-up", "slurmctld starts again", (lab) => lab.controllerUp());
  change("munge-down", "authentication fails", (lab) => lab.mungeDown());
  change("munge-up", "authentication works again", (lab) => lab.mungeUp());
}

const loadLab = () => import("@reprise/slurm-lab/lab.ts");
const lifeOf = (console: Console) => ({
  clock: systemClock,
  progress: (message: string) => console.err(`lab: ${message}\n`),
});

async function start(dir: string, flags: StartFlags, console: Console): Promise<void> {
  const { installCommand, installPackages, missingPackages } = await import("@reprise/slurm-lab/packages.ts");
  const missing = missingPackages();
  if (flags.install === true) await installPackages((message) => console.err(`lab: ${message}\n`));
  else if (missing.length > 0) {
    throw new Failure(`a lab needs the packages ${missing.join(", ")}`, {
      hints: ["reprise lab start --install", `or: ${installCommand(missing)}`],
    });
  }
  const lab = await (await loadLab()).startLab(
    {
      dir,
      ...(flags.nodes === undefined ? {} : { nodes: flags.nodes }),
      ...(flags.gpus === undefined ? {} : { gpus: flags.gpus }),
      ...(flags.credExpire === undefined ? {} : { credExpireSeconds: flags.credExpire }),
    },
    lifeOf(console),
  );
  console.err(`lab: ${lab.nodes.length} nodes in ${dir}; point Slurm's commands at it with\n`);
  console.out(`export SLURM_CONF=${lab.env.SLURM_CONF}\n`);
}

async function stop(dir: string, isRemoved: boolean, console: Console): Promise<void> {
  const { openLab, stopLabAt } = await loadLab();
  if (isRemoved) await openLab(dir, lifeOf(console)).stop({ files: "remove" });
  else await stopLabAt(dir, lifeOf(console));
}

function renderStatus({ dir, munge, controller, nodes, jobProcesses }: LabStatus): string {
  const lines = nodes.map(
    ({ name, daemon, state }) => `  ${name.padEnd(12)}${daemon}${state === undefined ? "" : `, ${state}`}`,
  );
  return `lab in ${dir}\n  ${"munge".padEnd(12)}${munge}\n  ${"controller".padEnd(12)}${controller}\n${lines.join("\n")}\n  ${jobProcesses} job processes\n`;
}

/** What the lab refuses is an expected no, and its message says all. */
async function inLab(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (error instanceof Error && error.name === "LabRefusal") throw new Failure(error.message);
    throw error;
  }
}

function wholeNumber(given: string): number {
  if (!/^\d{1,6}$/.test(given)) throw new InvalidArgumentError("expected a whole number");
  return Number(given);
}
