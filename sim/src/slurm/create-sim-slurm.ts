/**
 * create-sim-slurm: a Slurm 22.05 that is not there: one value, moved by a clock that somebody else moves.
 *
 * In the loop   sbatch → **jobs live here** → look → view → plan → **apply** → look again
 * Takes         the true time, chance from a seed, nodes, partitions, settings; and, for what the jobs do, `start`.
 * Gives         the port `Slurm` for each SAC and watchdog; a terminal for users and operators; the site's hardware; troubles;
 *               and a complete history.
 * Keeps         the same calls in the same order give the same history, byte for byte: no clock, no chance, no order of its own.
 *               It passes the stories that the real one passes (`apps/sac/src/slurm/contract/`).
 * Bound         nothing happens by itself but in `advance` (and, before it acts, in every call: what is due is done first).
 * Source        slurm.md §2, measured on 22.05.8; where the real one differs from this, this is wrong.
 */
import { createDoor } from "./door.ts";
import { createGarble } from "./garble.ts";
import { createLeaving } from "./leaving.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import { createMachines } from "./machines.ts";
import { createRunnerFor, createSlurmFor } from "./port.ts";
import { createProcesses } from "./processes.ts";
import { type JobRecord, nameOf, showDependency, stateWord, wholeSecond } from "./record.ts";
import { traitsOf } from "./releases.ts";
import { createRows } from "./rows.ts";
import { createSchedule } from "./schedule.ts";
import type { JobTruth, SimSettings, SimSlurm, SimSlurmDeps, Troubles } from "./sim-slurm.ts";
import { submit } from "./submit.ts";
import { find } from "./tasks.ts";
import { takeUp } from "./take-up.ts";
import { createTerminal } from "./terminal.ts";
import { words } from "./words.ts";

export const defaultSettings: SimSettings = {
  release: "22.05",
  cluster: "sim",
  credExpireSeconds: 120,
  killWaitSeconds: 30,
  minJobAgeSeconds: 300,
  purgeEverySeconds: 60,
  schedDelayMs: 500,
  epilogMs: 40,
  saveWaitMs: 5_000,
  slurmdTimeoutSeconds: 300,
  missingAfterSeconds: 60,
  requeueDelaySeconds: undefined,
  expeditedRequeue: false,
  jobRequeue: true,
  refusesExclusions: false,
  requeueExit: [],
  requeueExitHold: [],
  reservations: {},
  licenses: {},
  noHoldOnPrologFail: false,
  killInvalidDepend: false,
  operators: [],
  firstJobId: 1,
};

export function createSimSlurm(deps: SimSlurmDeps): SimSlurm {
  const ledger = createLedger(deps, { ...defaultSettings, ...deps.settings });
  let runs = 0;
  /** Two parts need each other: this one is there before anything happens. */
  const parts: { lifecycle?: Lifecycle } = {};
  const lifecycle = () => known(parts.lifecycle);
  const schedule = createSchedule(ledger, lifecycle);
  const processes = createProcesses(ledger, deps.start, (run, exit) => lifecycle().scriptEnded(run, exit));
  const leaving = createLeaving({ ledger, processes, schedule });
  parts.lifecycle = createLifecycle({
    ledger,
    processes,
    leaving,
    schedule,
    nextRun: () => ++runs,
    prologFailed: (job, node) => machines.prologFailed(job, node),
  });
  const machines = createMachines({ ledger, lifecycle, leaving, processes, schedule });
  const terminal = createTerminal({ ledger, lifecycle: lifecycle(), processes, schedule, machines });
  const [door, garble, rows] = [createDoor(), createGarble(), createRows(ledger)];
  const catchUp = () => ledger.timetable.advance(ledger.now());
  const port = { ledger, rows, door, garble, terminal, catchUp };

  /** slurmctld starts from what it has saved. */
  const begin = () => {
    ledger.timetable.forgetController();
    schedule.forget();
    ledger.timetable.setControllerWorks(true);
    ledger.lives++;
    ledger.bootedAt = wholeSecond(ledger.now());
    door.turn("up");
    machines.takeUp();
    takeUp({ ledger, processes, leaving, lifecycle: lifecycle(), schedule });
    ledger.tell("up", "site", "");
  };
  return {
    slurmFor: createSlurmFor(port),
    runnerFor: createRunnerFor(port),
    submit(spec) {
      catchUp();
      const jobId = submit(ledger, spec);
      schedule.request();
      for (const job of find(ledger, jobId, { splits: false })) schedule.atBegin(job);
      return jobId;
    },
    type(user, program, ...args) {
      catchUp();
      if (door.state !== "up") return { rc: 1, stdout: "", stderr: `${words.unexpected}\n` };
      return terminal(user, program, args);
    },
    site: machines,
    troubles: troublesOf({ ...port, begin }),
    advance: (to) => ledger.timetable.advance(to),
    nextAt: () => ledger.timetable.nextAt(),
    onEvent: (listener) => ledger.listen(listener),
    history: () => ledger.history,
    revision: () => ledger.revision,
    job(jobId) {
      const [job] = find(ledger, jobId, { splits: false });
      return job === undefined ? undefined : truthOf(job, jobId);
    },
    jobs: () => [...ledger.jobs.values()].map((job) => truthOf(job, nameOf(job))),
  };
}

function known<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("a part of the simulated Slurm was used before it was made");
  return part;
}

interface TroubleDeps {
  readonly ledger: Ledger;
  readonly door: ReturnType<typeof createDoor>;
  readonly garble: ReturnType<typeof createGarble>;
  readonly catchUp: () => void;
  readonly begin: () => void;
}

function troublesOf({ ledger, door, garble, catchUp, begin }: TroubleDeps): Troubles {
  const up = () => {
    if (door.state === "down") begin();
  };
  const resume = () => {
    if (door.state !== "paused") return;
    ledger.timetable.setControllerWorks(true);
    door.turn("up");
  };
  return {
    ...door.troubles,
    crash(losesMs = ledger.chance() * ledger.settings.saveWaitMs) {
      catchUp();
      door.turn("down");
      const to = ledger.rollBack(ledger.now() - Math.min(losesMs, ledger.settings.saveWaitMs));
      ledger.tell("crashed", "site", `what was done after ${to} is forgotten`);
      begin();
    },
    down() {
      catchUp();
      door.turn("down");
      ledger.timetable.setControllerWorks(false);
      ledger.tell("down", "site", "");
    },
    up,
    upgrade(release) {
      catchUp();
      door.turn("down");
      ledger.timetable.setControllerWorks(false);
      ledger.tell("down", "site", "");
      ledger.release = traitsOf(release);
      begin();
    },
    pause() {
      catchUp();
      if (door.state !== "up") return;
      door.turn("paused");
      ledger.timetable.setControllerWorks(false);
    },
    resume,
    garble: (jobId, how) => garble.garble(jobId, how),
    cutListings: () => garble.cut(),
    clear() {
      garble.clear();
      door.clear();
      up();
      resume();
    },
  };
}

function truthOf(job: JobRecord, jobId: string): JobTruth {
  const { recordId, user, restartCount, submitAt, priority, hold, nodes, excluded, adminComment, beginAt } = job;
  const { arrayJobId, hetJobId } = job;
  return {
    jobId,
    recordId,
    user,
    state: stateWord(job),
    restartCount,
    submitAt,
    priority,
    ...(hold === undefined ? {} : { hold }),
    nodes,
    excludedNodes: excluded,
    adminComment,
    dependency: showDependency(job),
    beginAt,
    ...(arrayJobId === undefined ? {} : { arrayJobId }),
    ...(hetJobId === undefined ? {} : { hetJobId }),
  };
}
