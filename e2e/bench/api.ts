/**
 * api: measures the API from a second process, on PostgreSQL and on the embedded database, and writes its part of
 * `docs/benchmarks.md`.
 *
 * Takes   `--quick`: small databases and short runs; then nothing is written. `--seconds N` a slice of a measurement.
 * Gives   progress on stderr, the part on stdout and in docs/.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startPostgres } from "@reprise/tools/postgres.ts";
import { latenciesOf } from "./api/latencies.ts";
import { passesOf } from "./api/passes.ts";
import { ratesOf } from "./api/rates.ts";
import { part } from "./api/report.ts";
import { withPart } from "./parts.ts";

const document = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
const { values: flags } = parseArgs({
  options: { quick: { type: "boolean", default: false }, seconds: { type: "string" } },
});
/** Of one slice; a rate has `rounds` of them. */
const seconds = Number(flags.seconds ?? (flags.quick ? 0.3 : 1));
const rounds = flags.quick ? 3 : 5;
const sizes: readonly [number, number] = flags.quick ? [4_000, 40_000] : [10_000, 1_000_000];

const say = (text: string) => void process.stderr.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), "reprise-bench-api-"));
const loads = [loadavg()[0] ?? 0];
try {
  const rates = await withPostgres((url) => ratesOf(url, join(folder, "rates"), { seconds, rounds }, say));
  loads.push(loadavg()[0] ?? 0);
  const passes = await withPostgres((url) => passesOf(url, join(folder, "passes"), flags.quick ? 1_000 : 10_000, say));
  const latencies = await withPostgres((small) =>
    withPostgres((large) => {
      const wheres = [small, large].map((databaseUrl, i) => ({ dataDir: join(folder, `pg-${i}`), databaseUrl }));
      return latenciesOf("PostgreSQL", wheres, sizes, seconds, say);
    }),
  );
  loads.push(loadavg()[0] ?? 0);
  const folders = sizes.map((attempts) => ({ dataDir: join(folder, `embedded-${attempts}`) }));
  latencies.push(...(await latenciesOf("embedded", folders, sizes, seconds, say)));
  loads.push(loadavg()[0] ?? 0);
  const machine = { cores: cpus().length, cpu: cpus()[0]?.model ?? "", node: process.versions.node, loads };
  const text = part({ date: new Date().toISOString().slice(0, 10), machine, rates, passes, latencies, sizes });
  process.stdout.write(text);
  if (!flags.quick) writeFileSync(document, withPart(readFileSync(document, "utf8"), text));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function withPostgres<T>(body: (url: string) => Promise<T>): Promise<T> {
  const postgres = await startPostgres();
  try {
    return await body(postgres.url);
  } finally {
    await postgres.stop();
  }
}
