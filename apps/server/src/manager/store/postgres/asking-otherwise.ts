/**
 * asking-otherwise: a pool whose clients ask in another way.
 *
 * Keeps   a client is wrapped once, however often it is handed out: what its way of asking remembers is of one connection.
 */
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";

export type Ask = (text: string, values: readonly unknown[]) => Promise<PostgresQueryResult<unknown>>;

export function askingOtherwise(pool: PostgresPool, askOf: (client: PostgresPoolClient) => Ask): PostgresPool {
  const known = new WeakMap<PostgresPoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      let other = known.get(client);
      if (other === undefined) known.set(client, (other = clientAsking(client, askOf(client))));
      return other;
    },
    end: () => pool.end(),
  };
}

const clientAsking = (client: PostgresPoolClient, query: Ask): PostgresPoolClient =>
  Object.assign(Object.create(client) as PostgresPoolClient, { query, release: () => client.release() });
