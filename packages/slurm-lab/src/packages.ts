/**
 * packages: Debian's Slurm packages, which a lab needs. Looks for them, and installs those that are missing.
 *
 * Writes  with `installPackages`, the machine: apt's packages and nothing else. Services that these packages brought and enabled are
 *         disabled and stopped again (a lab starts its own daemons); a service that was there before is left as it is.
 * Fails   `LabRefusal` `precondition` that says the one command to run, when this user may not install or the machine has no apt.
 */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { LabRefusal } from "./lab-options.ts";
import { run } from "./run.ts";

const programsOf = {
  munge: ["munged"],
  slurmctld: ["slurmctld"],
  slurmd: ["slurmd", "slurmstepd"],
  "slurm-client": ["sbatch", "srun", "scontrol", "squeue", "sinfo", "scancel"],
  slurmdbd: ["slurmdbd"],
  "mariadb-server-core": ["mariadbd"],
} as const;
export type LabPackage = keyof typeof programsOf;

const labPackages: readonly LabPackage[] = ["munge", "slurmctld", "slurmd", "slurm-client"];
/** Of a lab with `accounting`. */
export const accountingPackages: readonly LabPackage[] = [...labPackages, "slurmdbd", "mariadb-server-core"];

/** The units that Debian's packages of the same names enable. */
const unitsOf: Partial<Record<LabPackage, string>> = {
  munge: "munge.service",
  slurmctld: "slurmctld.service",
  slurmd: "slurmd.service",
  slurmdbd: "slurmdbd.service",
};
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const installLimitMs = 15 * 60_000;

/** Empty: a lab can start. Looks for programs, not for packages, so a Slurm built from source counts. */
export function missingPackages(path = defaultPath, wanted = labPackages): LabPackage[] {
  const isThere = (program: string) => path.split(":").some((folder) => existsSync(`${folder}/${program}`));
  return wanted.filter((name) => !programsOf[name].every(isThere));
}

export const installCommand = (packages: readonly LabPackage[]) =>
  `apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")}`;

/** Needs root, or sudo without a password. Nothing happens when nothing is missing. */
export async function installPackages(
  progress: (message: string) => void = () => {},
  path = defaultPath,
  wanted = labPackages,
): Promise<void> {
  const missing = missingPackages(path, wanted);
  if (missing.length === 0) return;
  const asRoot = await rootPrefix();
  if (asRoot === undefined || !existsSync("/usr/bin/apt-get")) {
    const why =
      asRoot === undefined ? "this user is not root and has no sudo without a password" : "this machine has no apt-get";
    throw new LabRefusal(
      "precondition",
      `a Slurm lab needs ${missing.join(", ")}, and ${why}. Run as root: ${installCommand(missing)}`,
    );
  }
  const before = new Set(await presentUnits());
  progress(`installing ${missing.join(", ")} (apt-get)`);
  await mustRun(asRoot, ["apt-get", "update", "-q"]);
  await mustRun(asRoot, ["apt-get", "install", "-q", "-y", "--no-install-recommends", ...missing]);
  const brought = missing.flatMap((name) => unitsOf[name] ?? []).filter((unit) => !before.has(unit));
  if (brought.length > 0 && existsSync("/run/systemd/system"))
    await mustRun(asRoot, ["systemctl", "disable", "--now", ...brought]);
  const still = missingPackages(path, wanted);
  if (still.length > 0)
    throw new LabRefusal(
      "unavailable",
      `apt-get installed ${missing.join(", ")}, but the programs of ${still.join(", ")} are still missing from ${path}`,
    );
}

async function rootPrefix(): Promise<string[] | undefined> {
  const env = ["env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C"];
  if (userInfo().uid === 0) return env;
  if (!existsSync("/usr/bin/sudo")) return undefined;
  const { code } = await run("/usr/bin/sudo", ["-n", "true"], { env: { PATH: defaultPath } });
  return code === 0 ? ["/usr/bin/sudo", "-n", ...env] : undefined;
}

/** Those whose unit file is there, enabled or not: they are not ours to touch. */
async function presentUnits(): Promise<string[]> {
  if (!existsSync("/run/systemd/system")) return [];
  const { stdout } = await run("systemctl", ["list-unit-files", "--no-legend", ...Object.values(unitsOf)], {
    env: { PATH: defaultPath, LC_ALL: "C" },
  });
  return stdout.split("\n").flatMap((line) => line.split(" ")[0] || []);
}

async function mustRun(prefix: readonly string[], command: readonly string[]): Promise<void> {
  const [program = "env", ...args] = [...prefix, ...command];
  const { code, stdout, stderr } = await run(program, args, {
    env: { PATH: defaultPath, HOME: "/" },
    limitMs: installLimitMs,
  });
  if (code === 0) return;
  const words = `${stdout}\n${stderr}`.trim().split("\n").slice(-5).join(" | ");
  throw new LabRefusal("unavailable", `${command.join(" ")} ended with ${code ?? "a signal"}: ${words}`);
}
