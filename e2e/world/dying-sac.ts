/**
 * dying-sac: the controller as a program of its own, whose journal kills it at chosen writes.
 *
 * Takes   one `DyingSac` in its first message. A fuse of a job burns at its nth entry in the journal, whoever wrote the ones before.
 * Writes  `<blownDir>/<jobId>` just before it kills itself, so that no fuse burns twice.
 * Keeps   it ends when whoever started it has ended.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processLife } from "@reprise/runtime/life.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { parentOfThisProcess } from "@reprise/runtime/parent.ts";
import type { SacConfig } from "@reprise/sac/config.ts";
import { main } from "@reprise/sac/controller.main.ts";
import type { Entry, JournalFile } from "@reprise/sac/journal.ts";
import { openJournalFile } from "@reprise/sac/journal-file.ts";

export interface Fuse {
  /** Burns at this entry about the job, counted from 1. */
  readonly nth: number;
  readonly when: "before" | "after";
}

export interface DyingSac {
  readonly config: SacConfig;
  /** Variables that say which Slurm. */
  readonly env: Readonly<Record<string, string>>;
  readonly fuses: Readonly<Record<string, Fuse>>;
  readonly blownDir: string;
}

const parent = parentOfThisProcess();
if (parent === undefined) throw new Error("dying-sac is started by a test");
const { config, env, fuses, blownDir } = (await parent.firstMessage) as DyingSac;
Object.assign(process.env, env);

const life = processLife(createLog({ name: "sac", level: "info", isPretty: false }), { stopOn: ["SIGTERM"] });
parent.gone.addEventListener("abort", () => life.stop("the test has ended"));
await main(config, life, (path, now) => withFuses(openJournalFile(path, now)));
process.exit(0);

function withFuses(file: JournalFile): JournalFile {
  const jobs = new Map<string, string>(); // key of a step, or source attempt → job
  const written = new Map<string, number>(); // job → its entries
  const jobOf = (entry: Entry) => {
    if (entry.kind === "begin") return entry.work.jobId;
    return jobs.get(entry.kind === "finish" ? entry.heimdallJobId : entry.key);
  };
  const note = (line: string) => {
    const entry = JSON.parse(line) as Entry;
    if (entry.kind === "begin") jobs.set(entry.key, entry.work.jobId).set(entry.work.heimdallJobId, entry.work.jobId);
    const job = jobOf(entry);
    if (job !== undefined) written.set(job, (written.get(job) ?? 0) + 1);
  };
  return {
    append(line) {
      const job = jobOf(JSON.parse(line) as Entry) ?? "";
      const nth = (written.get(job) ?? 0) + 1;
      burn(job, nth, "before");
      file.append(line);
      burn(job, nth, "after");
    },
    readNew() {
      const lines = file.readNew();
      lines.forEach(note);
      return lines;
    },
  };
}

function burn(job: string, nth: number, when: Fuse["when"]): void {
  const fuse = fuses[job];
  const blown = join(blownDir, job);
  if (fuse?.nth !== nth || fuse.when !== when || existsSync(blown)) return;
  writeFileSync(blown, "", { flush: true });
  process.kill(process.pid, "SIGKILL");
}
