/**
 * accounting: slurmdbd and its database beside a lab, so that Slurm knows users by more than their names: who is an Operator.
 *
 * Takes   Debian's `slurmdbd` and `mariadb-server-core`; `packages.ts` names them.
 * Writes  `db` and `etc/slurmdbd.conf` of the lab's folder.
 * Keeps   the database listens on a socket in the lab's folder alone, asks nobody for a password, and syncs nothing: it lives as long as the lab.
 * Fails   `LabRefusal` `unavailable` with the last words of what did not start.
 * Source  man slurmdbd.conf, sacctmgr (22.05); the order (cluster, account, users, then slurmctld) was seen to work.
 */
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { type DaemonHome, lastWords, programPath, startDaemon } from "./daemons.ts";
import { slurmdbdConf } from "./lab-conf.ts";
import { databaseSocketIn, LabRefusal, type LabPlan, slurmdbdConfIn } from "./lab-options.ts";
import type { RunHere, Waits } from "./look.ts";
import { daemonPids } from "./processes.ts";

const account = "lab";
/** The tables that MariaDB itself needs: stored procedures, of which slurmdbd makes some. */
const systemTables = "/usr/share/mysql/mysql_system_tables.sql";
const readyWithinMs = 60_000;

/** slurmctld registers with it at its own start. Nothing happens when it runs already. */
export async function startAccounting(home: DaemonHome, run: RunHere, waits: Waits): Promise<void> {
  const { plan } = home;
  if (plan.accounting === undefined || daemonPids(plan.dir, { kind: "slurmdbd" }).length > 0) return;
  await startDatabase(home, waits);
  await startDaemon(home, { kind: "slurmdbd" });
  const known = `${plan.dir}/db/known`;
  if (existsSync(known)) return;
  await waits.waitUntil(
    "slurmdbd answers",
    async () => (await run("sacctmgr", ["-n", "show", "cluster"])).code === 0,
    readyWithinMs,
  );
  for (const words of whoIsWho(plan)) await sacctmgr(run, words);
  writeFileSync(known, "");
}

/** Again on every start: the ports may be others. */
export function writeAccounting(plan: LabPlan, portBase: number): void {
  if (plan.accounting === undefined) return;
  mkdirSync(`${plan.dir}/db`, { recursive: true, mode: 0o700 });
  const conf = slurmdbdConf(plan, { portBase, user: userInfo().username });
  writeFileSync(slurmdbdConfIn(plan.dir), conf, { mode: 0o600 });
}

function whoIsWho({ accounting }: LabPlan): string[][] {
  const operators = accounting?.operators ?? [];
  return [
    ["add", "cluster", "lab"],
    ["add", "account", account, `Description=${account}`, `Organization=${account}`],
    ...operators.map((user) => ["add", "user", user, `Account=${account}`, "AdminLevel=Operator"]),
  ];
}

async function sacctmgr(run: RunHere, words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await run("sacctmgr", ["-i", ...words]);
  if (code !== 0) throw new LabRefusal("unavailable", `sacctmgr ${words.join(" ")}: ${(stderr || stdout).trim()}`);
}

async function startDatabase({ plan, env }: DaemonHome, waits: Waits): Promise<void> {
  const { dir } = plan;
  const program = programPath(plan, "mariadbd");
  if (!existsSync(`${dir}/db/mysql`)) {
    const tables = `create database mysql;\nuse mysql;\n${readFileSync(systemTables, "utf8")}`;
    await ended(spawnInto(dir, program, [...settings(dir), "--bootstrap"], env, tables));
  }
  const child = spawnInto(
    dir,
    program,
    [...settings(dir), `--socket=${databaseSocketIn(dir)}`, "--skip-networking"],
    env,
  );
  child.unref();
  await waits.waitUntil(
    "the database listens",
    () => {
      if (child.exitCode !== null)
        throw new LabRefusal("unavailable", `mariadbd did not start: ${lastWords(dir, ["mariadbd"])}`);
      return existsSync(databaseSocketIn(dir));
    },
    readyWithinMs,
  );
}

const settings = (dir: string) => [
  "--no-defaults",
  `--user=${userInfo().username}`, // root must say so.
  `--datadir=${dir}/db`,
  "--skip-grant-tables",
  "--skip-log-bin",
  "--performance-schema=0",
  "--innodb-buffer-pool-size=16M",
  "--innodb-log-file-size=8M",
  "--innodb-flush-log-at-trx-commit=0",
  "--innodb-doublewrite=0",
  "--innodb-fast-shutdown=2",
];

function spawnInto(dir: string, program: string, args: readonly string[], env: DaemonHome["env"], input?: string) {
  const log = openSync(`${dir}/log/mariadbd.log`, "a");
  const stdin = input === undefined ? ("ignore" as const) : ("pipe" as const);
  const child = spawn(program, args, { env: { ...env }, stdio: [stdin, log, log], cwd: dir, detached: true });
  closeSync(log);
  child.stdin?.on("error", () => {}); // It ended without reading: its exit code tells.
  child.stdin?.end(input);
  return child;
}

async function ended(child: ReturnType<typeof spawnInto>): Promise<void> {
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new LabRefusal("unavailable", `mariadbd --bootstrap ended with ${code}`);
}
