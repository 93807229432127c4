/** passes: SAC's view of a cluster with many live jobs, sent again and again: what does one cost, and does it write? */
import { median } from "@reprise/core/figures/quantile.ts";
import pg from "pg";
import { startProduct } from "./product.ts";

export interface Passes {
  readonly jobs: number;
  /** The pass in which all of them are new (ms). */
  readonly firstMs: number;
  /** One in which nothing has changed: median of `repeats` (ms). */
  readonly againMs: number;
  readonly repeats: number;
  /** Rows of `job` that these wrote, and facts that they raised. */
  readonly rowsWritten: number;
}

const repeats = 10;

export async function passesOf(
  databaseUrl: string,
  dataDir: string,
  jobs: number,
  say: (text: string) => void,
): Promise<Passes> {
  const product = await startProduct(dataDir, databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const seen = Array.from({ length: jobs }, (_, n) => ({ jobId: `${n + 1}`, attemptIndex: 0 }));
  const pass = async (changed: readonly object[]): Promise<number> => {
    const body = {
      cluster: "default",
      takenAt: new Date().toISOString(),
      mode: "observe",
      complete: true,
      changed,
      seen,
    };
    const began = performance.now();
    const answer = await fetch(`${product.ready.internalHttp}/reprise/v1/passes`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    await answer.text();
    return performance.now() - began;
  };
  try {
    const changed = seen.map(({ jobId }) => ({
      workflowId: `wf-${jobId}`,
      jobId,
      state: "JOB_STATUS_RUNNING",
      allocatedNodes: ["n1", "n2"],
    }));
    const firstMs = await pass(changed);
    // Ten thousand new attempts are decided for minutes: not what is measured.
    await client.query("update facts set decided_seq = seq");
    const before = await marksOf(client);
    const times: number[] = [];
    for (let n = 0; n < repeats; n++) times.push(await pass([]));
    const after = await marksOf(client, before.transaction);
    const rowsWritten = after.jobsSince + (after.facts - before.facts);
    const againMs = median(times) ?? Number.NaN;
    say(
      `passes over ${jobs} jobs: first ${firstMs.toFixed(0)} ms, again ${againMs.toFixed(0)} ms, rows written again: ${rowsWritten}`,
    );
    return { jobs, firstMs, againMs, repeats, rowsWritten };
  } finally {
    await client.end();
    await product.stop();
  }
}

/** What a pass would move: the rows of `job` written since a transaction, and the sum of all numbers of facts. */
async function marksOf(client: pg.Client, since = "0") {
  const { rows } = await client.query<{ transaction: string; jobsSince: number; facts: number }>(
    `select pg_current_xact_id()::text as transaction, (select sum(seq)::integer from facts) as facts,
      (select count(*)::integer from job where xmin::text::bigint > $1) as "jobsSince"`,
    [since],
  );
  const [marks] = rows;
  if (marks === undefined) throw new Error("PostgreSQL gave no row");
  return marks;
}
