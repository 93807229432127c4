/**
 * commands: what a transcript may say.
 *
 *   cluster nodes=8 partitions=gpu,private,urgent cred=120 killwait=30 minjobage=300 epilog=40      once, first; these are the defaults
 *           preempt=yes requeueexit=N exclusions=refused release=22.05 requeuedelay=N expedite=yes features=n1:h100,n2:h100+rack1
 *   reprise mode=act partitions=gpu watchdog=act failopen=180 sacs=1 skip=no cap=30 watchers=1 nodelogs=yes slurms=27.05 tells=yes
 *   job NAME nodes=2 user=ada partition=gpu … and any key of the policy; policy=none|broken|off
 *   job NAME hold=yes after=OTHER,OTHER:on_failure aftername=NAME:on_start     its gates: by ID (of a job above, or any), by name
 *   job NAME dependency=afterok:OTHER killinvalid=yes named=CHAIN     Slurm's own; its name in Slurm, where others have it too
 *   job NAME constraint=h100                 the features that its nodes must have
 *   job NAME het=1,2                         more components, of so many nodes each
 *   job NAME silence=5m slowdown=yes         its detectors: the limit in the training loop, and whether a loss is told
 *   fail NAME KIND after=60s attempt=0       KIND as in failures.ts
 *   print NAME TEXT…    exit NAME CODE       now, in the attempt that runs
 *   kernel NODE TEXT…   a line in the node's own log; `kernel NODE ago=5m TEXT…`: of then; `late=20s`: on its way;
 *                       `by=api`: in no file, reported by a program of the site
 *   run 5m              settle               heals the world and waits until nothing is open
 *   truncate|rotate NAME                     its log
 *   kill|start|pause|resume PART             server, sac, sac-b, watchdog, watcher; `kill|pause sac at 7`: at its 7th boundary from now
 *   as USER scontrol|scancel …
 *   order NAME never|restart|clear|withdraw      what an operator orders of the server
 *   mode observe|act PARTITIONS · stop · go      the same about the whole cluster
 *   slurm crash 3s|down|up|upgrade 25.11|pause|resume|slow 5s|cut|clear · slurm garble NAME unreadable|WORD · slurm lose applied|not-applied
 *   node lost|silent|back|prolog|epilog|repaired NODE · network cut|mend PART · disk full|free · killswitch on|off · clock PART +5m
 *   show NAME           the job in Slurm, and what the server says of each attempt
 */
import type { OverrideAction } from "@reprise/core/override/override.ts";
import { nodeLineFromWire, nodeLineToWire } from "@reprise/protocol/wire/node-line.ts";
import { type Failure, hardware, own, slow } from "./failures.ts";
import { kernelLine, nodeLogOf } from "./node-log.ts";
import { order, orderCluster } from "./orders.ts";
import { cluster } from "./roles.ts";
import { settle } from "./settle.ts";
import type { RunningAttempt } from "./slurm/sim-slurm.ts";
import { type FixedFailure, logPathOf } from "./training.ts";
import type { World } from "./world.ts";
import { durationOf, optionsIn, type Words, writtenJob } from "./write-world.ts";

export interface Stage {
  readonly world: World;
  readonly say: (line: string) => void;
  readonly jobs: Map<string, { readonly jobId: string; readonly fixed: FixedFailure[] }>;
  hasBegun: boolean;
}

export async function obey(stage: Stage, command: string): Promise<void> {
  const { world } = stage;
  const [verb = "", what = "", ...rest] = command.split(" ");
  if (verb === "cluster" || verb === "reprise") return;
  if (!stage.hasBegun) world.startAll();
  stage.hasBegun = true;
  const { site } = world.slurm;
  const said = await ordered(world, command, idOf(stage, what));
  if (said !== undefined) return stage.say(`      op       ${said}`);
  switch (verb) {
    case "job":
      return submit(stage, what, optionsIn(rest));
    case "fail":
      return fail(stage, what, rest);
    case "print":
      return print(stage, what, rest.join(" "));
    case "kernel":
      return kernel(stage, what, rest);
    case "exit":
      return attemptOf(stage, what).exit({ exitCode: Number(rest[0]) });
    case "run":
      return world.run(durationOf(what));
    case "settle":
      for (const why of await settle(world)) stage.say(`      not settled: ${why}`);
      return;
    case "kill":
      if (rest[0] === "at") return world.running.get(what)?.process.killAt(Number(rest[1]));
      return world.kill(what);
    case "start":
      return world.start(what);
    case "pause": {
      const process = world.running.get(what)?.process;
      return rest[0] === "at" ? process?.at(Number(rest[1]), () => process.pause()) : process?.pause();
    }
    case "resume":
      return world.running.get(what)?.process.resume();
    case "as": {
      const [program, ...args] = rest;
      const named = args.map(
        (arg) => stage.jobs.get(arg)?.jobId ?? arg.replace(/^JobId=(.*)$/, (_, n: string) => `JobId=${idOf(stage, n)}`),
      );
      const answer = world.slurm.type(what, program as "scontrol" | "scancel", ...named);
      if (answer.rc !== 0) stage.say(`      ${what.padEnd(8)} is refused: ${answer.stderr.trim()}`);
      return;
    }
    case "slurm":
      return slurm(stage, what, rest);
    case "node":
      if (what === "lost" || what === "silent") return site.nodeLost(rest[0]!, { silent: what === "silent" });
      if (what === "prolog") return site.failProlog(rest[0]!, Number(rest[1] ?? 1));
      if (what === "epilog") return site.failEpilog(rest[0]!, Number(rest[1] ?? 1));
      if (what === "repaired") return clear(stage, rest[0]!);
      return world.repair(rest[0]!);
    case "network": {
      const link = world.running.get(rest[0]!)?.link;
      if (link !== undefined) link.isCut = what === "cut";
      return;
    }
    case "disk":
      world.hosts[0]!.disk.isFull = what === "full";
      return;
    case "killswitch":
      world.hosts[0]!.disk.isKillSwitchOn = what === "on";
      return;
    case "clock":
      (what === "server" ? world.serverHost : what === "watcher" ? world.watcherHost : world.hosts[0]!.clock).aheadMs =
        durationOf(rest[0]!);
      return;
    case "show":
      return show(stage, what);
    case "truncate":
      return world.logs.truncate(logPathOf(attemptOf(stage, what)));
    case "rotate": {
      const path = logPathOf(attemptOf(stage, what));
      return world.logs.rotate(path, `${path}.1`);
    }
  }
  throw new Error(`${command}: no such command`);
}

/** What an operator is told of his order. Undefined: it is none. */
async function ordered(world: World, command: string, jobId: string): Promise<string | undefined> {
  const [verb = "", , action] = command.split(" ");
  if (verb === "order") return order(world, jobId, action as OverrideAction);
  return ["mode", "stop", "go"].includes(verb) ? orderCluster(world, command) : undefined;
}

/** A job by its name here; or an ID, which is left as it is. */
const idOf = ({ jobs }: Stage, name: string): string => jobs.get(name)?.jobId ?? name;

async function clear({ world, say }: Stage, node: string): Promise<void> {
  await world.memory.clearNode(cluster, { node, by: "op", reason: "repaired" }, world.serverHost.now());
  say(`      op       says that ${node} was repaired`);
}

function submit(stage: Stage, name: string, o: Words): void {
  const fixed: FixedFailure[] = [];
  const job = writtenJob(name, o, fixed, (other) => idOf(stage, other));
  stage.jobs.set(name, { jobId: stage.world.submit(job), fixed });
}

function fail(stage: Stage, name: string, words: readonly string[]): void {
  const [kind = ""] = words;
  const o = optionsIn(words);
  const failure: Failure | undefined = [...hardware, ...own, slow].find((f) => f.kind === kind);
  if (failure === undefined) throw new Error(`${kind}: no such failure`);
  const job = stage.jobs.get(name);
  if (job === undefined) throw new Error(`${name}: no such job`);
  const attempts = (o.get("attempt") ?? "0").split(",");
  for (const attempt of attempts)
    job.fixed.push({
      attempt: Number(attempt),
      afterMs: durationOf(o.get("after") ?? "60s"),
      failure,
      ...(o.has("node") ? { node: o.get("node")! } : {}),
    });
}

function print(stage: Stage, name: string, line: string): void {
  const attempt = attemptOf(stage, name);
  fatalFor(stage, attempt, attempt.nodes[0]!, line);
  stage.world.logs.print(logPathOf(attempt), line);
}

/** What nobody has planned: the checkers must know of it. */
function fatalFor({ world: { observers } }: Stage, attempt: RunningAttempt, node: string, line: string): void {
  for (const o of observers) o.failed?.(attempt, "told", node);
  for (const o of observers) o.printed?.(attempt, [line], "root");
}

async function kernel(stage: Stage, node: string, words: readonly string[]): Promise<void> {
  const { clock, logs, database } = stage.world;
  const [, how, value = "0s"] = /^(ago|late|by)=(.+)$/.exec(words[0] ?? "") ?? [];
  const text = (how === undefined ? words : words.slice(1)).join(" ");
  const at = clock.now() - (how === "ago" ? durationOf(value) : 0);
  const line = kernelLine(node, at, text);
  if (how !== "ago") saidOf(stage, node, line);
  if (how !== "by")
    return void clock.after(how === "late" ? durationOf(value) : 0, () => logs.print(nodeLogOf(node), line));
  const taken = nodeLineFromWire("line", nodeLineToWire({ node, at, line, key: "" }));
  await database.reportNodeLines({ reporter: "site", cluster, lines: [taken], positions: [] }, clock.now());
}

/** Whoever runs on that node is told of it. */
function saidOf(stage: Stage, node: string, line: string): void {
  for (const attempt of stage.world.attempts.values())
    if (attempt.nodes.includes(node)) fatalFor(stage, attempt, node, line);
}

function attemptOf(stage: Stage, name: string) {
  const attempt = stage.world.attempts.get(idOf(stage, name));
  if (attempt === undefined) throw new Error(`${name}: has not started`);
  return attempt;
}

function slurm(stage: Stage, what: string, [first = "", second = ""]: readonly string[]): void {
  const { troubles } = stage.world.slurm;
  switch (what) {
    case "crash":
      return troubles.crash(first === "" ? undefined : durationOf(first));
    case "down":
    case "up":
    case "pause":
    case "resume":
    case "clear":
      return troubles[what]();
    case "upgrade":
      return troubles.upgrade(first);
    case "slow":
      return troubles.slow(durationOf(first));
    case "cut":
      return troubles.cutListings();
    case "lose":
      return troubles.loseNextAnswer(first as "applied" | "not-applied");
    case "garble":
      return troubles.garble(
        idOf(stage, first),
        second === "unreadable" ? { kind: "unreadable" } : { kind: "state", word: second },
      );
    default:
      throw new Error(`slurm ${what}: no such trouble`);
  }
}

async function show(stage: Stage, name: string): Promise<void> {
  const { world, say } = stage;
  const jobId = idOf(stage, name);
  const job = world.slurm.job(jobId);
  say(
    job === undefined
      ? `      slurm    knows no job ${jobId}`
      : `      slurm    ${jobId}#${job.restartCount} ${job.state}${job.priority === 0 ? `, held (${job.hold ?? "?"})` : ""}${job.excludedNodes.length > 0 ? `, without ${job.excludedNodes.join(" ")}` : ""}${job.nodes.length > 0 ? `, on ${job.nodes.join(" ")}` : ""}`,
  );
  for (const { attempt, advice, decision } of await world.memory.story(cluster, jobId)) {
    const last = advice.at(-1);
    const coverage = attempt.coverage.kind === "covered" ? "" : `, not covered: ${attempt.coverage.because}`;
    say(`      server   ${jobId}#${attempt.attemptIndex} ${attempt.status} ${attempt.jmState}${coverage}`);
    if (decision !== undefined)
      say(`      because  ${decision.decision.because}: ${decision.decision.sentence.slice(0, 150)}`);
    if (last !== undefined)
      say(
        `      advice   g${last.generation} ${last.desired}, ${last.status.disposition} ${last.status.reason}${last.withdrawnAt === undefined ? "" : ", withdrawn"}`,
      );
  }
}
