/**
 * Goal    two servers on one PostgreSQL are one: whichever is killed, nothing that was acknowledged is lost, nothing is advised twice,
 *         and a caller sees only errors that tell him to try again.
 * Method  real servers, started at the same moment on an empty database; callers that ask each in turn and try again; one server is
 *         killed and started again every few seconds, and the database ends some connections. Then everything is compared with what
 *         was acknowledged. It needs no Slurm.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "@reprise/runtime/clock.ts";
import { startPostgres } from "@reprise/tools/postgres.ts";

const program = fileURLToPath(import.meta.resolve("@reprise/cli/main.ts"));
const rounds = 3;
const killEveryMs = 2_500;
const writers = 3;

interface Replica {
  readonly url: string;
  kill(): Promise<void>;
}

async function startReplica(databaseUrl: string, dataDir: string): Promise<Replica> {
  const ports = ["--http-port", "--grpc-port", "--internal-http-port", "--internal-grpc-port"].flatMap((f) => [f, "0"]);
  const child: ChildProcess = spawn(
    process.execPath,
    [program, "server", "--insecure", "--data", dataDir, "--log-level", "warn", ...ports],
    { env: { ...process.env, DATABASE_URL: databaseUrl }, stdio: ["ignore", "pipe", "ignore"] },
  );
  const ended = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  if (child.stdout === null) throw new Error("the server has no stdout");
  for await (const line of createInterface({ input: child.stdout })) {
    return { url: (JSON.parse(line) as { internalHttp: string }).internalHttp, kill };
  }
  throw new Error(`a server ended with ${child.exitCode} before it was ready`);
}

/** What tells a caller to try again (UNAVAILABLE, ABORTED, RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED). */
const isRetriable = (status: number) => [503, 409, 429, 504].includes(status);

/** Asks the replicas in turn, until one answers; what is neither an answer nor retriable is kept in `wrong`. */
class RoundRobin {
  readonly replicas: Replica[];
  readonly wrong: string[] = [];
  retried = 0;
  private turn = 0;
  constructor(replicas: Replica[]) {
    this.replicas = replicas;
  }

  async ask<T>(path: string, body?: object): Promise<T> {
    for (;;) {
      const { url } = this.replicas[this.turn++ % this.replicas.length] as Replica;
      const post = { method: "POST", body: JSON.stringify(body) };
      const answer = await fetch(`${url}${path}`, body === undefined ? {} : post).then(
        async (response) => ({ status: response.status, text: await response.text() }),
        () => undefined, // Nobody listens, or the answer broke off: for a client that is UNAVAILABLE.
      );
      if (answer?.status === 200) return JSON.parse(answer.text) as T;
      this.retried++;
      if (answer !== undefined && !isRetriable(answer.status)) {
        this.wrong.push(`${path}: ${answer.status} ${answer.text}`);
        if (this.wrong.length > 20) throw new Error(this.wrong.join("\n"));
      }
      await systemClock.sleep(20);
    }
  }
}

interface Job {
  readonly jobId: string;
  readonly gpuCountPerNode?: number;
}

test("two servers on one database lose nothing that was acknowledged and advise nothing twice", async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  const folder = mkdtempSync(join(tmpdir(), "reprise-replicas-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const start = (n: number) => startReplica(postgres.url, join(folder, `${n}`));
  const servers = new RoundRobin(await Promise.all([start(0), start(1)])); // They race to make the schema.
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  onTestFinished(() => database.end());

  let isOver = false;
  const acknowledged = new Map<string, number>();
  /** Publishes jobs of its own, each some times over, counting up. */
  const write = async (writer: number) => {
    for (let n = 1; !isOver; n++) {
      const jobId = `${writer}-${n % 50}`;
      await servers.ask("/v1/jobs", {
        workflowId: `w${writer}`,
        jobId,
        state: "JOB_STATUS_RUNNING",
        gpuCountPerNode: n,
      });
      acknowledged.set(jobId, n);
    }
  };
  const failed: string[] = [];
  /** As SAC does: a whole view of a cluster. */
  const look = async (changed: readonly object[]) => {
    const seen = failed.map((jobId) => ({ jobId, attemptIndex: 0 }));
    const takenAt = new Date().toISOString();
    await servers.ask("/reprise/v1/passes", { cluster: "c1", takenAt, complete: true, mode: "observe", changed, seen });
  };
  /** Every time another job has failed. */
  const pass = async () => {
    for (let n = 1; !isOver; n++) {
      const jobId = `${1000 + n}`;
      const recoveryConfig = { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE", maxRequeueTimes: 3 };
      await look([{ workflowId: "failing", jobId, state: "JOB_STATUS_FAILED", recoveryConfig }]);
      failed.push(jobId);
      await systemClock.sleep(50);
    }
  };
  const read = async () => {
    for (let n = 0; !isOver; n++) {
      const paths = ["/v1/jobs?limit=50", "/v1/jobs?workflowIds=w0", "/v1/workflows", "/v1/advice?limit=20"];
      await servers.ask(paths[n % paths.length] ?? "");
    }
  };
  const killing = async () => {
    for (let round = 0; round < rounds; round++) {
      await systemClock.sleep(killEveryMs);
      const victim = round % 2;
      await servers.replicas[victim]?.kill();
      servers.replicas[victim] = await start(victim);
      // Also the one that a caller waits for.
      await database.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'reprise'");
    }
    isOver = true;
  };
  await Promise.all([killing(), pass(), read(), ...Array.from({ length: writers }, (_, writer) => write(writer))]);

  const stored = new Map<string, number>();
  for (let token = "0"; token !== ""; ) {
    const page = await servers.ask<{ jobs: Job[]; nextPageToken?: string }>(`/v1/jobs?limit=250&pageToken=${token}`);
    for (const { jobId, gpuCountPerNode } of page.jobs) stored.set(jobId, gpuCountPerNode ?? 0);
    token = page.nextPageToken ?? "";
  }
  expect(
    [...acknowledged].filter(([jobId, n]) => stored.get(jobId) !== n),
    "lost",
  ).toEqual([]);
  expect(
    failed.filter((jobId) => !stored.has(jobId)),
    "lost passes",
  ).toEqual([]);
  expect(servers.wrong).toEqual([]);
  expect(acknowledged.size).toBeGreaterThan(writers);
  expect(servers.retried).toBeGreaterThan(0);

  const countAdvice = async () => {
    const { rows } = await database.query<{ n: number; all: number; twice: number }>(`
      select count(distinct heimdall_job_id)::integer as n, count(*)::integer as all,
        (select count(*) from (select from audit where type = 'advice.recorded' group by heimdall_job_id having count(*) > 1) x)::integer as twice
      from advice`);
    return rows[0];
  };
  const lookAndCount = async () => {
    await look([]);
    return (await countAdvice())?.n;
  };
  await expect.poll(lookAndCount, { timeout: 30_000, interval: 500 }).toBe(failed.length);
  expect(await countAdvice()).toEqual({ n: failed.length, all: failed.length, twice: 0 });
}, 150_000);
