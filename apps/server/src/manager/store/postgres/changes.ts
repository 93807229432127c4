/**
 * changes: tells who listens that something was committed. Only a hint to look: it may be late, lost or repeated.
 *
 * In the loop   commit → **changes** → a loop wakes; the slow poll is the truth
 * Keeps         nothing is told before its commit.
 */
import type { Change } from "../../store.ts";
import type { Tx } from "./schema.ts";

/** What a write gives: its answer, and what to tell of it once it is committed. */
export interface Written<T> {
  readonly answer: T;
  readonly changes: readonly Change[];
}

export interface Changes {
  /** Part of the transaction: other processes hear of it if and when it commits. */
  announce(tx: Tx, changes: readonly Change[]): Promise<void>;
  /** After the commit, to who listens in this process. */
  emit(changes: readonly Change[]): void;
  subscribe(listener: (change: Change) => void): () => void;
  close(): Promise<void>;
}

/** For a database that only this process has. A listener that throws is a bug of its own and stops no other. */
export function createLocalChanges(): Changes {
  const listeners = new Set<(change: Change) => void>();
  return {
    announce: () => Promise.resolve(),
    emit(changes) {
      for (const listener of listeners) changes.forEach(listener);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      listeners.clear();
      return Promise.resolve();
    },
  };
}
