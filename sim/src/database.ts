/**
 * database: the store that outlives every server, and how it fails.
 *
 * Takes   the memory body of the store, whose contract is PostgreSQL's.
 * Gives   the store as one server process sees it: it may refuse, be slow, or fail after it has committed.
 * Keeps   a call is one transaction: it happens, or it does not. What was committed is told to the world (`Taps`), whoever learns of it.
 */
import { type StoreCall, withFaults } from "@reprise/server/manager/store/memory/with-faults.ts";
import type { Store } from "@reprise/server/manager/store.ts";
import type { Lots } from "./chance.ts";
import type { WorldClock } from "./clock.ts";
import type { FaultKind } from "./fault-kinds.ts";

/** Of each call; 0 to 1. */
export interface DatabaseFaults {
  readonly refuse: number;
  readonly slow: number;
  readonly slowMaxMs: number;
  readonly failAfterCommit: number;
  /** Calls that always fail, with the SQLSTATE of the error: the table of one is damaged, or refuses what it is given. Absent: none. */
  readonly broken?: Readonly<Partial<Record<StoreCall, string>>>;
}

export const sound: DatabaseFaults = { refuse: 0, slow: 0, slowMaxMs: 0, failAfterCommit: 0 };

type Tap<K extends keyof Store> = Store[K] extends (...args: infer A) => Promise<infer R>
  ? (args: A, answer: R) => void
  : never;

/** What was committed, in the order of the commits. */
export interface Taps {
  readonly reportPass?: Tap<"reportPass">;
  readonly recordDecisions?: Tap<"recordDecisions">;
  readonly observeStatus?: Tap<"observeStatus">;
  readonly recordSignals?: Tap<"recordSignals">;
  readonly acquireLease?: Tap<"acquireLease">;
  readonly claimTargets?: Tap<"claimTargets">;
}

export interface DatabaseDeps {
  readonly store: Store;
  readonly world: WorldClock;
  readonly chance: Lots;
  readonly faults: () => DatabaseFaults;
  readonly onFault: (kind: FaultKind) => void;
  readonly taps: Taps;
}

export function openDatabase({ store, world, chance, faults, onFault, taps }: DatabaseDeps): Store {
  const tapped: Record<string, unknown> = { ...store };
  for (const [name, tap] of Object.entries(taps) as [keyof Taps, (args: unknown[], answer: unknown) => void][]) {
    const call = store[name] as (...args: unknown[]) => Promise<unknown>;
    tapped[name] = async (...args: unknown[]) => {
      const answer = await call(...args);
      tap(args, answer);
      return answer;
    };
  }
  return withFaults(tapped as unknown as Store, {
    before(called) {
      const f = faults();
      if (f === sound) return;
      const code = f.broken?.[called];
      if (code !== undefined) {
        onFault("database breaks");
        throw Object.assign(new Error(`the database fails with ${code}`), { code });
      }
      if (chance.yes(f.refuse)) {
        onFault("database refuses");
        throw new Error("the database refuses connections");
      }
      if (!chance.yes(f.slow)) return;
      onFault("database slow");
      return world.wait(Math.round(chance.spread(1, Math.max(2, f.slowMaxMs))));
    },
    after() {
      const f = faults();
      if (f === sound || !chance.yes(f.failAfterCommit)) return;
      onFault("database fails after commit");
      throw new Error("the connection to the database broke");
    },
  });
}
