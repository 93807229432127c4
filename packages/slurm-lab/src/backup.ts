/**
 * backup: a second slurmctld on the same machine, which takes over when the first one is gone.
 *
 * Takes   root, or whoever may make namespaces: each of the two believes that it runs on a host of its own.
 * Writes  `etc/hosts` and a folder of each for its pid file, in the lab's folder. Nothing of the machine: mounts and host names are those of the
 *         two processes alone.
 * Keeps   both save to, and read from, the lab's one `StateSaveLocation`, as `man slurm.conf` asks for.
 * Source  man slurm.conf (22.05), SlurmctldHost and NoCtldInAddrAny; seen to work. With one pid file the second ends the first at its start.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { slurmConfIn, type LabPlan } from "./lab-options.ts";

export type Controller = "primary" | "backup";

/** Of the same port, so each has an address of its own. */
const addresses: Readonly<Record<Controller, string>> = { primary: "127.0.0.1", backup: "127.0.0.2" };
const names = ["primary", "backup"] as const;

/** Lines of slurm.conf, in the order of precedence. `host`: this machine's own name, for one that is alone. */
export const controllerLines = ({ backup }: Pick<LabPlan, "backup">, host: string): string[] =>
  backup
    ? [...names.map((name) => `SlurmctldHost=${name}(${addresses[name]})`), "CommunicationParameters=NoCtldInAddrAny"]
    : [`SlurmctldHost=${host}(${addresses.primary})`];

/** slurm.conf knows one log for both. */
export const controllerLog = (dir: string, which: Controller) =>
  `${dir}/log/slurmctld${which === "backup" ? ".backup" : ""}.log`;

export const controllerArguments = (dir: string, which: Controller): string[] => [
  "-f",
  slurmConfIn(dir),
  ...(which === "backup" ? ["-L", controllerLog(dir, which)] : []),
];

/** Again on every start. */
export function writeHosts({ dir, backup }: LabPlan): void {
  if (!backup) return;
  for (const name of names) mkdirSync(`${dir}/pids/${name}`, { recursive: true });
  const lines = ["127.0.0.1 localhost", ...names.map((name) => `${addresses[name]} ${name}`), ""];
  writeFileSync(`${dir}/etc/hosts`, lines.join("\n"));
}

/** The command that starts `command` on the "host" of this controller. */
export const onHostOf = (dir: string, which: Controller, command: readonly string[]): [string, ...string[]] => [
  "unshare",
  "--mount",
  "--uts",
  "sh",
  "-c",
  'mount --bind "$1/etc/hosts" /etc/hosts && mount --bind "$1/pids/$2" "$1/pids" && hostname "$2" && shift 2 && exec "$@"',
  "sh",
  dir,
  which,
  ...command,
];
