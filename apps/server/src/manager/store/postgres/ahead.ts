/**
 * ahead: a statement whose answer nobody needs is sent, and the next one is not kept waiting for it.
 *
 * In the loop   a write → **fewer round trips** → the lock on all attempts is held for less time
 * Takes         a statement of a transaction, marked: sql`${ahead} insert …`; and every `begin`.
 * Keeps         nothing is lost: what was sent ahead is waited for by the next statement that is not, at the latest by the commit.
 * Fails         there, with the error of the one that failed first.
 */
import { sql, type PostgresPool, type PostgresPoolClient } from "kysely";
import { type Ask, askingOtherwise } from "./asking-otherwise.ts";

const mark = "/* ahead */";
export const ahead = sql.raw(mark);

/** A pool whose clients know the mark. Its clients must take a query before they have answered the last one. */
export const sendingAhead = (pool: PostgresPool): PostgresPool => askingOtherwise(pool, askingAhead);

const begins = (text: string) => text === "begin" || text.startsWith("start transaction");
const ends = (text: string) => text === "commit" || text === "rollback";

function askingAhead(client: PostgresPoolClient): Ask {
  const ask: Ask = (text, values) => client.query(text, values);
  let isInTransaction = false;
  let sent: Promise<unknown>[] = [];
  return async (text, values) => {
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
}
