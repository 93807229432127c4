/**
 * ahead: a statement whose answer nobody needs is sent, and the next one is not kept waiting for it.
 *
 * In the loop   a write → **fewer round trips** → the lock on all attempts is held for less time
 * Takes         a statement of a transaction, marked: sql`${ahead} insert …`; and every `begin`.
 * Keeps         nothing is lost: what was sent ahead is waited for by the next statement that is not, at the latest by the commit.
 * Fails         there, with the error of the one that failed first.
 */
import { sql, type PostgresPool, type PostgresPoolClient, type PostgresQueryResult } from "kysely";

const mark = "/* ahead */";
export const ahead = sql.raw(mark);

type Result = PostgresQueryResult<unknown>;
type Ask = (text: string, values: readonly unknown[]) => Promise<Result>;

/** A pool whose clients know the mark. Its clients must take a query before they have answered the last one. */
export function sendingAhead(pool: PostgresPool): PostgresPool {
  const known = new WeakMap<PostgresPoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      let sending = known.get(client);
      if (sending === undefined) known.set(client, (sending = clientSendingAhead(client)));
      return sending;
    },
    end: () => pool.end(),
  };
}

const begins = (text: string) => text === "begin" || text.startsWith("start transaction");
const ends = (text: string) => text === "commit" || text === "rollback";

function clientSendingAhead(client: PostgresPoolClient): PostgresPoolClient {
  const ask: Ask = (text, values) => client.query(text, values);
  let isInTransaction = false;
  let sent: Promise<unknown>[] = [];
  const query: Ask = async (text, values) => {
    if (begins(text)) isInTransaction = true;
    const asked = ask(text, values);
    if (isInTransaction && (begins(text) || text.startsWith(mark))) {
      asked.catch(() => undefined); // Whoever waits for it hears of it.
      sent.push(asked);
      return { command: "SELECT", rowCount: 0, rows: [] };
    }
    if (ends(text)) isInTransaction = false;
    const before = sent;
    sent = [];
    const outcomes = await Promise.allSettled([...before, asked]);
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    // An end by rollback has its reason already.
    if (failed !== undefined && text !== "rollback") throw failed.reason;
    return await asked;
  };
  return Object.assign(Object.create(client) as PostgresPoolClient, { query, release: () => client.release() });
}
