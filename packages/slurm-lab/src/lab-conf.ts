/**
 * lab-conf: the text of slurm.conf and gres.conf for one lab.
 *
 * Takes   a plan, its port base, and where it runs.
 * Pure    total.
 * Keeps   no two labs share a path or a port; no key stands twice (Slurm warns on stderr, and a warning is read as a failed read).
 * Source  man slurm.conf (22.05); every line beside a comment here was needed on a real one.
 */
import { controllerLines } from "./backup.ts";
import { mungeSocketIn, nodeNames, type LabPlan } from "./lab-options.ts";

export interface LabPlace {
  readonly portBase: number;
  /** Short, as `gethostname` gives it: slurmctld looks for itself by it. */
  readonly host: string;
  /** Who runs the daemons and owns the jobs. */
  readonly user: string;
}

export function slurmConf(plan: LabPlan, { portBase, host, user }: LabPlace): string {
  const { dir } = plan;
  const keys = new Map<string, string>([
    ["ClusterName", "lab"],
    ["SlurmctldPort", String(portBase)],
    ["SlurmUser", user],
    ["SlurmdUser", user],
    ["AuthType", "auth/munge"],
    ["AuthInfo", `socket=${mungeSocketIn(dir)},cred_expire=${plan.credExpireSeconds}`],
    ["StateSaveLocation", `${dir}/state`],
    ["SlurmdSpoolDir", `${dir}/spool/%n`],
    ["SlurmctldPidFile", `${dir}/pids/slurmctld.pid`],
    ["SlurmdPidFile", `${dir}/pids/slurmd.%n.pid`],
    ["SlurmctldLogFile", `${dir}/log/slurmctld.log`],
    ["SlurmdLogFile", `${dir}/log/slurmd.%n.log`],
    ["SlurmctldDebug", "verbose"],
    ["SlurmdDebug", "info"],
    ["ProctrackType", "proctrack/linuxproc"], // No cgroups: the machine may be a container.
    ["TaskPlugin", "task/none"],
    ["SwitchType", "switch/none"],
    ["MpiDefault", "none"],
    ["MailProg", "/bin/true"],
    ["JobAcctGatherType", "jobacct_gather/none"],
    ["SelectType", "select/cons_tres"],
    ["SelectTypeParameters", "CR_Core"],
    ["SchedulerType", "sched/backfill"],
    [
      "SchedulerParameters",
      `sched_interval=${plan.schedIntervalSeconds},bf_interval=5,sched_min_interval=10000,batch_sched_delay=0`,
    ],
    ["PriorityType", "priority/basic"],
    ["SlurmdParameters", "config_overrides"], // More CPUs and memory than the machine has.
    ["ReturnToService", "1"], // 2 would bring a node that was set DOWN back while its slurmd lives.
    ["SlurmctldTimeout", "10"],
    ["SlurmdTimeout", String(plan.slurmdTimeoutSeconds)],
    ["MessageTimeout", "10"],
    ["BatchStartTimeout", "5"],
    ["KillWait", String(plan.killWaitSeconds)],
    ["UnkillableStepTimeout", "60"], // Newer releases complain below 5 × MessageTimeout.
    ["MinJobAge", String(plan.minJobAgeSeconds)],
    ["JobRequeue", "1"],
    ["PropagateResourceLimits", "NONE"],
    ["GresTypes", "gpu"],
    ["JobCompType", plan.jobCompScript === undefined ? "jobcomp/none" : "jobcomp/script"],
  ]);
  if (plan.jobCompScript !== undefined) keys.set("JobCompLoc", plan.jobCompScript);
  if (plan.accounting !== undefined) {
    keys.set("AccountingStorageType", "accounting_storage/slurmdbd");
    keys.set("AccountingStorageHost", "127.0.0.1");
    keys.set("AccountingStoragePort", String(slurmdbdPort(plan, portBase)));
    keys.set("AccountingStoragePass", mungeSocketIn(dir)); // Else sacctmgr asks the machine's own munge.
  }

  const added: string[] = [];
  for (const line of plan.extraConf) {
    const [key, value] = splitOnce(line);
    if (/^(node|partition)name$/i.test(key)) added.push(line);
    else keys.set([...keys.keys()].find((ours) => ours.toLowerCase() === key.toLowerCase()) ?? key, value);
  }
  const nodes = nodeNames(plan).map(
    (name, i) =>
      `NodeName=${name} NodeHostname=${name} NodeAddr=127.0.0.1 Port=${portBase + 1 + i} CPUs=16 RealMemory=64000 Gres=gpu:h100:${plan.gpus} State=UNKNOWN`,
  );
  const partitions = plan.partitions.map(
    ({ name, nodes: of = "ALL" }, i) =>
      `PartitionName=${name} Nodes=${of} Default=${i === 0 ? "YES" : "NO"} MaxTime=INFINITE State=UP`,
  );
  const lines = [...keys].map(([key, value]) => `${key}=${value}`);
  return [...controllerLines(plan, host), ...lines, ...nodes, ...partitions, ...added, ""].join("\n");
}

/** Behind the ports of the nodes. */
export const slurmdbdPort = ({ nodes }: Pick<LabPlan, "nodes">, portBase: number): number => portBase + nodes + 1;

/** Which database's socket it takes is told by the environment alone (`MYSQL_UNIX_PORT`). */
export function slurmdbdConf(plan: LabPlan, { portBase, user }: Pick<LabPlace, "portBase" | "user">): string {
  const { dir } = plan;
  const lines = [
    "AuthType=auth/munge",
    `AuthInfo=socket=${mungeSocketIn(dir)}`,
    "DbdHost=localhost",
    "DbdAddr=127.0.0.1",
    `DbdPort=${slurmdbdPort(plan, portBase)}`,
    `SlurmUser=${user}`,
    "StorageType=accounting_storage/mysql",
    "StorageHost=localhost",
    "StorageUser=root",
    "StorageLoc=accounting",
    `LogFile=${dir}/log/slurmdbd.log`,
    `PidFile=${dir}/pids/slurmdbd.pid`,
  ];
  return [...lines, ""].join("\n");
}

/** File= must name character devices: with a count alone the node reports no GPU and is drained. */
export function gresConf(plan: LabPlan): string {
  return `AutoDetect=off\nNodeName=n[1-${plan.nodes}] Name=gpu Type=h100 File=${plan.dir}/dev/fakegpu[0-${plan.gpus - 1}]\n`;
}

function splitOnce(line: string): [string, string] {
  const at = line.indexOf("=");
  return [line.slice(0, at), line.slice(at + 1)];
}
