/**
 * passes: what one pass of SAC over many jobs costs: the listings, reading them, what changed, and telling the server.
 *
 * Takes   argv: the server's gRPC address, how many passes. Slurm by the environment.
 * Gives   one line of JSON: `Passes`. Times of processors are of this process and of the Slurm programs that it has started.
 * Keeps   it runs the parts of a pass as `sac.ts` does, by themselves: nothing is under way, so nothing else belongs to it.
 */
import { readFileSync } from "node:fs";
import { median } from "@reprise/core/figures/quantile.ts";
import { systemChance } from "@reprise/runtime/chance.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { publish } from "@reprise/sac/loops/observe-once.ts";
import { nothingPublished } from "@reprise/sac/loops/published.ts";
import { createServerClient } from "@reprise/sac/server-client.ts";
import { commandEnvironment } from "@reprise/sac/slurm/command/environment.ts";
import { createLook } from "@reprise/sac/slurm/command/look.ts";
import { createRunner } from "@reprise/sac/slurm/command/run.ts";

export interface Passes {
  readonly jobs: number;
  /** Milliseconds; `first`: everything is new. */
  readonly first: PassTimes;
  /** Medians of passes in which nothing had changed: everything asked, and at rest. */
  readonly unchanged: PassTimes;
  readonly rest: PassTimes;
  /** Jobs that the unchanged passes told of as changed. */
  readonly told: number;
  /** The listing's text, and this process's memory at the end (MiB). */
  readonly textMb: number;
  readonly rssMb: number;
}

export interface PassTimes {
  readonly byTheClock: number;
  /** Of a processor: reading and comparing; publishing; and of Slurm's programs. */
  readonly read: number;
  readonly publish: number;
  readonly programs: number;
}

const [server = "", count = "10"] = process.argv.slice(2);
const run = createRunner(systemClock);
let textBytes = 0;
const counted: typeof run = async (...asked) => {
  const ran = await run(...asked);
  textBytes += ran.stdout.length;
  return ran;
};
const look = createLook({
  run: counted,
  clock: systemClock,
  chance: systemChance,
  log: fakeLife().log,
  env: commandEnvironment(environment()),
  cluster: "default",
});
const client = createServerClient({ server }, systemClock);
let told = 0;
const counting = {
  ...client,
  reportPass: (report: Parameters<typeof client.reportPass>[0]) => {
    told += report.changed.length;
    return client.reportPass(report);
  },
};
const published = nothingPublished();
const force = { mode: "observe", partitions: [] } as const;
const context = {
  cluster: "default",
  leaseTerm: 0,
  partitions: force.partitions,
  force,
  sac: { allowed: force, ordersGeneration: 0, openHolds: 0, brakes: [] },
  slurmReleases: [],
  steps: [],
};

const own = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
/** Of the children that have ended: proc(5), `cutime` and `cstime` in ticks of 10 ms. */
const ofChildren = () => {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(13, 15)
    .map(Number);
  return (user + system) * 10;
};

async function pass(
  how: "whole" | "at-rest" = "whole",
): Promise<PassTimes & { readonly jobs: number; readonly isAtRest: boolean }> {
  const [begun, self, children] = [systemClock.elapsed(), own(), ofChildren()];
  const view = await look(how);
  if (view.kind !== "seen") throw new Error(JSON.stringify(view));
  const looked = own();
  await publish(view, published, context, counting);
  return {
    jobs: view.value.jobs.size,
    isAtRest: view.value.isAtRest === true,
    byTheClock: systemClock.elapsed() - begun,
    read: looked - self,
    publish: own() - looked,
    programs: ofChildren() - children,
  };
}

/** The ticks of children are coarse: their mean. */
function timesOf(all: readonly PassTimes[]): PassTimes {
  const middle = (key: keyof PassTimes) => median(all.map((times) => times[key])) ?? 0;
  const programs = all.reduce((sum, times) => sum + times.programs, 0) / all.length;
  return { byTheClock: middle("byTheClock"), read: middle("read"), publish: middle("publish"), programs };
}

const { jobs, isAtRest: _, ...first } = await pass();
for (let i = 0; i < 3; i++) await pass(); // Until the compiler knows it.
told = 0;
textBytes = 0;
const unchanged: PassTimes[] = [];
for (let i = 0; i < Number(count); i++) unchanged.push(await pass());
const textMb = textBytes / unchanged.length / 1e6;
const rest: PassTimes[] = [];
for (let i = 0; i < 5 * Number(count) && rest.length < Number(count); i++) {
  const times = await pass("at-rest");
  if (times.isAtRest) rest.push(times); // Now and then a whole one is due.
}
if (rest.length === 0) throw new Error("no look was at rest");
const result: Passes = {
  jobs,
  first,
  unchanged: timesOf(unchanged),
  rest: timesOf(rest),
  told,
  textMb,
  rssMb: process.memoryUsage.rss() / 1024 ** 2,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
client.close();
