/**
 * query-client: the one session of an embedded database, and the shape of a pool around it.
 *
 * Keeps   PGlite stands behind this port: in a worker thread (`worker-client.ts`), or in the thread of its caller (`open-lite.ts`).
 *         Who has connected has the session for himself until he releases it; others wait in the order in which they came.
 */
import type { PostgresPool, PostgresPoolClient } from "kysely";

export interface QueryResult {
  readonly rows: readonly unknown[];
  readonly command: string;
  readonly rowCount: number | null;
}

export interface QueryClient {
  query(sql: string, parameters: readonly unknown[]): Promise<QueryResult>;
  /** Ends the database in good order. Safe to call twice. */
  end(): Promise<void>;
}

export function createSingleClientPool(client: QueryClient): PostgresPool {
  let tail: Promise<void> = Promise.resolve();
  let ended: Promise<void> | undefined;
  const turn = async (): Promise<() => void> => {
    const before = tail;
    const { promise, resolve } = Promise.withResolvers<void>();
    tail = promise;
    await before;
    return resolve;
  };
  return {
    options: {},
    async connect() {
      if (ended !== undefined) throw new Error("the embedded database is closed");
      const release = await turn();
      return { query: client.query.bind(client), release } as unknown as PostgresPoolClient;
    },
    end() {
      ended ??= turn().then(async (release) => {
        await client.end();
        release();
      });
      return ended;
    },
  };
}
