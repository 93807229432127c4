/**
 * away: a PostgreSQL that cannot be reached, is full or shuts down is no bug of ours: whoever asked may try again.
 *
 * In the loop   connection lost → **`unavailable`** → 503, UNAVAILABLE → the caller asks again, perhaps another replica
 * Keeps         every write may be repeated, so that it does not matter whether the lost one was committed.
 */
import type { PostgresPool } from "kysely";
import { Refusal } from "@reprise/core/refusal.ts";
import type { Log } from "@reprise/runtime/life.ts";
import { askingOtherwise } from "./asking-otherwise.ts";

/** @returns The same error, or what the caller may be told of it. */
function asRefusal(error: unknown, log: Log): unknown {
  const { code = "", message = "" } = error as { readonly code?: string; readonly message?: string };
  // Classes of SQLSTATE: 08 connection, 57P an operator ended it, 53 no room; and what the driver says without one.
  const isAway =
    /^(?:08...|57P0.|53...|E[A-Z]+)$/.test(code) ||
    /^Connection terminated|is not queryable|timeout exceeded when trying/i.test(message);
  if (!isAway) return error;
  log.warn({ error }, "PostgreSQL is away");
  return new Refusal(
    "unavailable",
    `the database does not answer (${code === "" ? "connection lost" : code}); try again`,
  );
}

export function refusingAway(pool: PostgresPool, log: Log): PostgresPool {
  const orRefused = async <T>(ask: () => Promise<T>): Promise<T> => {
    try {
      return await ask();
    } catch (error) {
      throw asRefusal(error, log);
    }
  };
  const reached: PostgresPool = {
    options: pool.options,
    connect: () => orRefused(() => pool.connect()),
    end: () => pool.end(),
  };
  return askingOtherwise(reached, (client) => (text, values) => orRefused(() => client.query<unknown>(text, values)));
}
