/**
 * bench/slurm: what SAC costs at scale, on a real Slurm: a pass over many jobs in which nothing changes, and 500 jobs that fail at one
 * instant.
 *
 * Takes   `--quick`: 200 jobs and 20. `--only passes|wave`: one of the two. Needs Slurm's packages; a lab of its own for each.
 * Gives   its sections of docs/benchmarks.md, which it writes there, but for `--quick`; and on stdout.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { limits } from "@reprise/core/limits.ts";
import { startLab, type Lab } from "@reprise/slurm-lab/lab.ts";
import { withPart } from "./parts.ts";
import type { Passes } from "./slurm/passes.main.ts";
import type { Wave } from "./slurm/wave.main.ts";
import { passSection, waveSection } from "./slurm/section.ts";
import { startPrograms } from "./watcher/programs.ts";

const { values: flags } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" } },
});
/** How many jobs wait, and how many of them opted in. */
const sizes = flags.quick
  ? [{ jobs: 200, optedIn: 200 }]
  : [
      { jobs: 1_000, optedIn: 1_000 },
      { jobs: 10_000, optedIn: 10_000 },
      { jobs: 50_000, optedIn: 10_000 },
    ];
const waveJobs = flags.quick ? 20 : 500;
const comment = '{"recovery": {"auto_resume_mode": "requeue", "max_requeue_times": 5}}';
const tasksOfAnArray = 1_000;

/** Of Slurm, once a lab is there. */
let version = "";
const execute = promisify(execFile);
async function measured<T>(program: string, args: readonly string[], lab: Lab): Promise<T> {
  const file = fileURLToPath(new URL(`slurm/${program}`, import.meta.url));
  const env = { ...process.env, ...lab.env, PATH: lab.plan.path };
  const { stdout } = await execute(process.execPath, [file, ...args], { env, maxBuffer: 1e8 });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as T;
}

const shell = (lab: Lab, script: string) =>
  execute("sh", ["-c", script], { env: { ...process.env, ...lab.env, PATH: lab.plan.path }, maxBuffer: 1e8 });

/** Held jobs, each with a record of its own up to 10,000, four sbatch at a time; above that tasks of arrays, which share one. */
async function fill(lab: Lab, from: number, { jobs, optedIn }: (typeof sizes)[number]): Promise<void> {
  if (jobs <= 10_000) {
    const each = Math.ceil((jobs - from) / 4);
    const loop = `for i in $(seq ${each}); do sbatch -Q --hold --output=/dev/null --comment='${comment}' --wrap 'exit 0'; done`;
    await Promise.all(Array.from({ length: 4 }, () => shell(lab, loop)));
    return;
  }
  for (let at = from; at < jobs; at += tasksOfAnArray) {
    const opted = at < optedIn ? `--comment='${comment}'` : "--comment=none";
    await shell(lab, `sbatch -Q --hold --output=/dev/null --array=0-${tasksOfAnArray - 1} ${opted} --wrap 'exit 0'`);
  }
}

async function passes(): Promise<readonly (Passes & { readonly load: number })[]> {
  const lab = await startLab({ nodes: 1, extraConf: ["MaxJobCount=200000"] });
  version = (await lab.run("sinfo", ["--version"])).stdout.trim();
  const programs = await startPrograms();
  try {
    const found: (Passes & { load: number })[] = [];
    let from = 0;
    for (const size of sizes) {
      await fill(lab, from, size);
      from = size.jobs;
      const args = [programs.grpc, flags.quick ? "3" : "15"];
      found.push({ ...(await measured<Passes>("passes.main.ts", args, lab)), load: loadavg()[0] ?? 0 });
      process.stderr.write(`${JSON.stringify(found.at(-1))}\n`);
    }
    return found;
  } finally {
    await programs.stop();
    await lab.stop({ files: "remove" });
  }
}

/** Every CPU is given to so many jobs: all of them run at the same time. */
const sharers = 8;

async function wave(): Promise<Wave & { readonly load: number }> {
  const extraConf = [`PartitionName=wave Nodes=ALL OverSubscribe=FORCE:${sharers} MaxTime=INFINITE State=UP`];
  const lab = await startLab({ nodes: 4, extraConf, minJobAgeSeconds: 3_600 });
  const dir = mkdtempSync(join(tmpdir(), "reprise-wave-"));
  try {
    version = (await lab.run("sinfo", ["--version"])).stdout.trim();
    const gate = join(lab.sharedDir, "gate");
    execFileSync("mkfifo", [gate]);
    // Each waits until somebody opens the gate, and all of them fail then.
    const script = `cat ${gate}; exit 7`;
    const each = `sbatch -Q -p wave --output=/dev/null --comment='${comment}' --wrap '${script}'`;
    await shell(lab, `for i in $(seq ${waveJobs}); do ${each}; done`);
    await lab.waitUntil(
      `${waveJobs} jobs run`,
      async () => {
        const { stdout } = await lab.run("squeue", ["-h", "-t", "R", "-o", "%A"]);
        return stdout.trim().split("\n").length === waveJobs;
      },
      300_000,
    );
    const found = await measured<Wave>("wave.main.ts", [dir, String(waveJobs), gate], lab);
    process.stderr.write(`${JSON.stringify(found)}\n`);
    return { ...found, load: loadavg()[0] ?? 0 };
  } finally {
    await lab.stop({ files: "remove" });
    rmSync(dir, { recursive: true, force: true });
  }
}

const machine = () => ({
  says: `${availableParallelism()} shared cores (${cpus()[0]?.model ?? "?"}), Node ${process.versions.node}, ${version}`,
  date: new Date().toISOString().slice(0, 10),
});

function write(section: string): void {
  process.stdout.write(section);
  if (flags.quick) return;
  const page = new URL("../../docs/benchmarks.md", import.meta.url);
  writeFileSync(page, withPart(readFileSync(page, "utf8"), section));
}

if (flags.only !== "passes") {
  const waved = await wave();
  write(waveSection(machine(), waved, limits.commandsPerSecondMax));
}
if (flags.only !== "wave") {
  const passed = await passes();
  write(passSection(machine(), passed));
}
