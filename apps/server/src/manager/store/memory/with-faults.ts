/**
 * with-faults: a database that is away, slow, or commits and loses the answer.
 *
 * Takes   what happens before each call's transaction begins and after it has committed. Either may wait (the database is slow) or
 *         throw: before, and nothing was changed (it refuses, or loses what was not committed); after, and all of it was.
 * Keeps   `onChange` and `close` work always.
 */
import type { Store } from "../../store.ts";

export type StoreCall = Exclude<keyof Store, "onChange" | "close">;

export interface StoreFaults {
  before(call: StoreCall): void | Promise<void>;
  after(call: StoreCall): void | Promise<void>;
}

export function withFaults(store: Store, faults: StoreFaults): Store {
  const calls = Object.entries(store).map(([name, member]): [string, unknown] => {
    if (name === "onChange" || name === "close") return [name, member];
    const call = member as (...given: unknown[]) => Promise<unknown>;
    const faulty = async (...given: unknown[]) => {
      await faults.before(name as StoreCall);
      const answer = await call(...given);
      await faults.after(name as StoreCall);
      return answer;
    };
    return [name, faulty];
  });
  return Object.fromEntries(calls) as unknown as Store;
}
