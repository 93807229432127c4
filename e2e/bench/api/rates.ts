/**
 * rates: answers a second, each beside what bounds it: a bare HTTP server, and loops of raw queries, all in one run.
 *
 * Method  64 callers that read or 16 that write, each with one question open; one process asks, others answer. Everything is measured in
 *         short slices that take turns, so that what else the machine does hits all alike; the medians count. Reads go over 500 attempts.
 *         An upsert changes what is stored every time; it is compared with a loop that does one `insert … on conflict do update` after the
 *         other into a table with the same columns and indexes. The processor's time of each answer is counted too: it is the same on a
 *         busy machine, where each hop between processes waits. A slice after upserts waits until what they changed is decided.
 */
import { quantileOfSorted } from "@reprise/core/figures/quantile.ts";
import pg from "pg";
import { HeimdallService, JobStatus } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { createRpcClient } from "@reprise/protocol/grpc.ts";
import { systemClock } from "@reprise/runtime/clock.ts";
import { cpuTimeSince, cpuTimesOf, type CpuTimes } from "./cpu-time.ts";
import { type Asker, closedLoop, getRequest, type Load, loadHttp, postRequest } from "./http-load.ts";
import { startProduct, startStatic } from "./product.ts";

const writers = 16;
/** Enough that none of the processes waits for another one on a busy machine. */
const readers = 64;
const attempts = 500;

/** The loop of upserts has one caller. */
export type Rates = Readonly<Record<Measured, Rate>>;
export interface Rate {
  /** The median of the slices. */
  readonly perSecond: number;
  /** What an answer took of a processor, of the server and of PostgreSQL; of a loop and of PostgreSQL. */
  readonly cpuMs: number;
}
type Measured =
  | "static"
  | "get"
  | "grpcGet"
  | "queries"
  | "queriesPrepared"
  | "post"
  | "postCovered"
  | "repeated"
  | "grpcUpsert"
  | "upserts";

/** The nth report: of an attempt of its own up to `attempts`, then of the same ones, changed. */
const job = (n: number) => ({
  workflowId: `wf-${n % 100}`,
  jobId: `${n % attempts}`,
  jobName: "train",
  state: "JOB_STATUS_RUNNING",
  allocatedNodes: ["n1", "n2", "n3", "n4"],
  gpuCountPerNode: Math.floor(n / attempts) + 1,
});
/** Others, that opted in. */
const covered = (n: number) => ({
  ...job(n),
  jobId: `c${n % attempts}`,
  recoveryConfig: { autoResumeMode: "AUTO_RESUME_MODE_REQUEUE", maxRequeueTimes: 3 },
});
const rpcJob = (n: number) => ({ ...job(n), state: JobStatus.RUNNING });

const loops: ReadonlySet<Measured> = new Set<Measured>(["upserts", "queries", "queriesPrepared"]);

type Say = (text: string) => void;
type Slice = (seconds: number) => Promise<Load>;
type Slices = Partial<Record<Measured, Slice>>;

const calls =
  (askers: number, ask: Asker["ask"]): Slice =>
  (seconds) =>
    closedLoop(askers, seconds, () => Promise.resolve({ ask, close: () => undefined }));

export async function ratesOf(
  databaseUrl: string,
  dataDir: string,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
  say: Say,
): Promise<Rates> {
  const product = await startProduct(dataDir, databaseUrl);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  pool.on("error", () => undefined); // Of a connection that is still closing when PostgreSQL stops.
  const bare = await startStatic(JSON.stringify({ job: job(0) }));
  const client = createRpcClient(HeimdallService, product.ready.grpc, { clock: systemClock });
  const http =
    (url: string, callers: number, requestOf: (i: number) => Buffer): Slice =>
    (slice) =>
      loadHttp(url, callers, slice, requestOf);
  const api = product.ready.http;
  try {
    for (let n = 0; n < attempts; n++) await client.createOrUpdateJob(rpcJob(n));
    await loadHttp(api, writers, 0, (n) => postRequest("/v1/jobs", covered(n)), attempts);
    let n = attempts;
    const same = postRequest("/v1/jobs", job(n++));
    const ids = await uuids(pool);
    const byId = (i: number) => ({
      text: "select * from job where heimdall_job_id = $1",
      values: [ids[i % ids.length]],
    });
    const slices: Slices = {
      post: http(api, writers, () => postRequest("/v1/jobs", job(n++))),
      upserts: calls(1, await singleRowUpserts(pool)),
      postCovered: http(api, writers, () => postRequest("/v1/jobs", covered(n++))),
      grpcUpsert: calls(writers, () => client.createOrUpdateJob(rpcJob(n++))),
      repeated: http(api, writers, () => same),
      get: http(api, readers, (i) => getRequest(`/v1/jobs/${i % attempts}-0`)),
      queries: calls(readers, (i) => pool.query(byId(i))),
      queriesPrepared: calls(readers, (i) => pool.query({ name: "by-id", ...byId(i) })),
      grpcGet: calls(readers, (i) => client.getJob({ heimdallJobId: `${i % attempts}-0` })),
      static: http(bare.url, readers, () => getRequest("/")),
    };
    const cpuTime = async (name: Measured) => {
      const answering = loops.has(name) ? process.pid : product.pid;
      return cpuTimesOf([answering, ...(await backends(pool))]);
    };
    return await inTurns(slices, { seconds, rounds, settle: () => untilDecided(pool), cpuTime }, say);
  } finally {
    client.close();
    await pool.end();
    await bare.stop();
    await product.stop();
  }
}

/** PostgreSQL has a process for each connection. */
async function backends(pool: pg.Pool): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>("select pid from pg_stat_activity");
  return rows.map(({ pid }) => pid);
}

interface Turns {
  readonly seconds: number;
  readonly rounds: number;
  readonly settle: () => Promise<void>;
  readonly cpuTime: (name: Measured) => Promise<CpuTimes>;
}

async function inTurns(slices: Slices, { seconds, rounds, settle, cpuTime }: Turns, say: Say): Promise<Rates> {
  const measured = Object.entries(slices) as [Measured, Slice][];
  const found = new Map(measured.map(([name]) => [name, { rates: [] as number[], answers: 0, cpuMs: 0 }]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, slice] of measured) {
      await settle();
      const before = await cpuTime(name);
      const { perSecond, answers } = await slice(seconds);
      const cpuMs = cpuTimeSince(before, await cpuTime(name));
      const sums = found.get(name);
      if (round === 0 || sums === undefined) continue; // The first one only warms up.
      sums.rates.push(perSecond);
      sums.answers += answers;
      sums.cpuMs += cpuMs;
    }
    say(`round ${round} of ${rounds}`);
  }
  const rates = [...found].map(([name, sums]): [Measured, Rate] => {
    const sorted = sums.rates.toSorted((x, y) => x - y);
    const cpuMs = sums.cpuMs / sums.answers;
    say(`${name}: ${sorted.map((rate) => rate.toFixed(0)).join(" ")} /s, ${cpuMs.toFixed(3)} ms of a processor each`);
    return [name, { perSecond: quantileOfSorted(sorted, 0.5) ?? Number.NaN, cpuMs }];
  });
  return Object.fromEntries(rates) as Rates;
}

async function uuids(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>("select heimdall_job_id as id from job");
  return rows.map(({ id }) => id);
}

/** What was changed is decided about for a while: that is not what the next slice measures. */
async function untilDecided(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query("select from facts where seq > decided_seq limit 1");
    if (rowCount === 0) return;
    await systemClock.sleep(50);
  }
}

async function singleRowUpserts(pool: pg.Pool): Promise<Asker["ask"]> {
  await pool.query("create table single (like job including all)");
  await pool.query("insert into single select * from job");
  const { rows } = await pool.query<{ row: object }>("select to_jsonb(single) as row from single");
  let changed = 0;
  return (n) =>
    pool.query({
      text: `insert into single select * from jsonb_populate_record(null::single, $1)
        on conflict (heimdall_job_id) do update set gpu_count_per_node = excluded.gpu_count_per_node, nodes = excluded.nodes,
          updated_at = excluded.updated_at, last_seen_at = excluded.last_seen_at returning *`,
      values: [JSON.stringify({ ...rows[n % rows.length]?.row, gpu_count_per_node: changed++ })],
    });
}
