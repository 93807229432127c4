/**
 * latencies: how long each lookup and each list takes over a small and over a large database.
 *
 * Method  a server over each; one caller asks them in turn, so that what else the machine does hits both alike.
 */
import { mkdirSync } from "node:fs";
import { quantileOfSorted } from "@reprise/core/figures/quantile.ts";
import pg from "pg";
import { openEmbeddedPool } from "@reprise/server/manager/store/embedded/open-embedded.ts";
import { processLife } from "@reprise/runtime/life.ts";
import { createLog } from "@reprise/runtime/log.ts";
import { fill } from "./fill.ts";
import { type Asker, getRequest, inTurn, openHttp } from "./http-load.ts";
import { type Running, startProduct } from "./product.ts";
import { type Read, reads } from "./reads.ts";

export interface Latencies {
  readonly body: string;
  readonly attempts: number;
  /** By name of the read; milliseconds. */
  readonly of: ReadonlyMap<string, { readonly p50: number; readonly p99: number }>;
}

/** For a list that is slow. */
const answersMin = 30;

interface Where {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

/** @param wheres One database for each size. */
export async function latenciesOf(
  body: string,
  wheres: readonly Where[],
  sizes: readonly number[],
  seconds: number,
  say: (text: string) => void,
): Promise<Latencies[]> {
  const products: Running[] = [];
  try {
    for (const [i, where] of wheres.entries()) products.push(await startFilled(body, where, sizes[i] ?? 0, say));
    const found = sizes.map((attempts): Measured => ({ body, attempts, of: new Map() }));
    for (const read of reads) {
      const askers = await Promise.all(products.map((product, i) => askerOf(read, product, sizes[i] ?? 0)));
      const latencies = await inTurn(askers, seconds, answersMin);
      for (const asker of askers) asker.close();
      const spreads = latencies.map(spreadOf);
      for (const [i, spread] of spreads.entries()) found[i]?.of.set(read.name, spread);
      say(`${body}: ${read.name}: p50 ${spreads.map(({ p50 }) => p50.toFixed(2)).join(", ")} ms`);
    }
    return found;
  } finally {
    for (const product of products) await product.stop();
  }
}

interface Measured extends Latencies {
  readonly of: Map<string, Spread>;
}
type Spread = ReturnType<typeof spreadOf>;

function spreadOf(latencies: readonly number[]) {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => quantileOfSorted(sorted, share) ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

function askerOf({ name, path }: Read, { ready }: Running, attempts: number): Promise<Asker> {
  const url = name.startsWith("story") ? ready.internalHttp : ready.http;
  return openHttp(url, (n) => getRequest(path(n, attempts)));
}

async function startFilled(
  body: string,
  where: Where,
  attempts: number,
  say: (text: string) => void,
): Promise<Running> {
  mkdirSync(where.dataDir, { recursive: true });
  await (await startProduct(where.dataDir, where.databaseUrl)).stop(); // It makes the schema.
  say(`${body}: filling in ${attempts} attempts`);
  await fillIn(where, attempts);
  return await startProduct(where.dataDir, where.databaseUrl);
}

async function fillIn({ dataDir, databaseUrl }: Where, attempts: number): Promise<void> {
  if (databaseUrl !== undefined) {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await fill((text) => client.query(text), attempts);
    return await client.end();
  }
  const { pool, close } = await openEmbeddedPool(
    dataDir,
    processLife(createLog({ name: "bench", level: "error", isPretty: false })),
  );
  const session = await pool.connect();
  await fill((text) => session.query(text, []), attempts);
  session.release();
  await close();
}
