/**
 * maintenance: what PostgreSQL's background processes do, and PGlite has none of: checkpoints and vacuum.
 *
 * Writes   nothing that anybody reads: it keeps the log short and the tables small.
 * Bound    looks every `lookEveryMs`; a checkpoint after `checkpointEveryMs`, or sooner after `walBytesMax` of log; a vacuum of each table
 *          after `vacuumAfterRows` changed rows and a fifth of those that it has, as PostgreSQL's own does by default.
 * Fails    the loop logs it and tries again; the database works on meanwhile.
 * Source   measured: without it 1.2 million updates left 1.6 GB of log, and a table of 5 MB took 1.4 GB.
 */
import type { Life } from "@reprise/runtime/life.ts";
import { startLoop, type Loop } from "@reprise/runtime/loop.ts";
import type { PostgresPool } from "kysely";
import type { QueryClient } from "./query-client.ts";

const lookEveryMs = 5_000;
const checkpointEveryMs = 60_000;
const walBytesMax = 32 * 1024 * 1024;
const vacuumAfterRows = 2_000;
const vacuumAfterShare = 0.2;

export interface Changed {
  /** Rows changed since the last vacuum, by table. */
  readonly rows: Map<string, number>;
}

/** Counts changed rows by the table that a statement names; which one a statement with several means is not worth knowing. */
export function counting(client: QueryClient): { readonly client: QueryClient; readonly changed: Changed } {
  const rows = new Map<string, number>();
  const query: QueryClient["query"] = async (sql, parameters) => {
    const result = await client.query(sql, parameters);
    for (const [, table] of sql.matchAll(/\b(?:insert into|delete from|update(?= "?\w+"? set))\s+"?(\w+)"?/gi)) {
      if (table !== undefined) rows.set(table, (rows.get(table) ?? 0) + (result.rowCount ?? 0));
    }
    return result;
  };
  return { client: { query, end: () => client.end() }, changed: { rows } };
}

export interface Maintenance {
  /** One look. Exported as such for the test; the loop calls it. */
  look(): Promise<void>;
}

export function createMaintenance(pool: PostgresPool, changed: Changed, clock: Life["clock"]): Maintenance {
  let last = { at: clock.now(), wal: 0 };
  /** Of each table the rows that it had when it was vacuumed last. */
  const sizes = new Map<string, number>();
  return {
    async look() {
      const session = await pool.connect();
      try {
        const { rows } = await session.query<{ wal: number }>(
          "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as wal",
          [],
        );
        const wal = rows[0]?.wal ?? 0;
        const now = clock.now();
        const isDue = now - last.at >= checkpointEveryMs && wal > last.wal;
        for (const [table, count] of changed.rows) {
          if (count < vacuumAfterRows + vacuumAfterShare * (sizes.get(table) ?? 0)) continue;
          changed.rows.delete(table);
          await session.query(`vacuum (analyze) "${table}"`, []);
          const counted = await session.query<{ rows: number }>(
            "select reltuples as rows from pg_class where oid = $1::regclass",
            [`"${table}"`],
          );
          sizes.set(table, counted.rows[0]?.rows ?? 0);
        }
        if (!isDue && wal - last.wal < walBytesMax) return;
        await session.query("checkpoint", []);
        last = { at: now, wal };
      } finally {
        session.release();
      }
    },
  };
}

export function startMaintenance(maintenance: Maintenance, life: Life): Loop {
  return startLoop(life, "embedded-maintenance", lookEveryMs, () => maintenance.look());
}
