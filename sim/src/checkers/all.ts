/** all: every checker, watching one world. */
import type { Observer } from "../observer.ts";
import type { World } from "../world.ts";
import { abandonedIsTrue } from "./abandoned-is-true.ts";
import { acknowledgedIsKept } from "./acknowledged-is-kept.ts";
import { auditIsComplete } from "./audit-is-complete.ts";
import type { Checker, Judge } from "./checker.ts";
import { Chronicle } from "./chronicle.ts";
import { chainsRunOneAtATime } from "./chains-run-one-at-a-time.ts";
import { convergedIsTrue } from "./converged-is-true.ts";
import { everyEffectWasBegun } from "./every-effect-was-begun.ts";
import { excludedAreGuilty } from "./excluded-are-guilty.ts";
import { exclusionLeavesEnoughNodes } from "./exclusion-leaves-enough-nodes.ts";
import { finishedIsNeverResurrected } from "./finished-is-never-resurrected.ts";
import { gatesAreKept } from "./gates-are-kept.ts";
import { generationsOnlyGrow } from "./generations-only-grow.ts";
import { healthyIsLeftAlone } from "./healthy-is-left-alone.ts";
import { holdsOfOthersStay } from "./holds-of-others-stay.ts";
import { neverMoreThanMaxRequeueTimes } from "./never-more-than-max-requeue-times.ts";
import { neverReleasedUnconstrained } from "./never-released-unconstrained.ts";
import { noAdviceBeyondTheSuccessor } from "./no-advice-beyond-the-successor.ts";
import { nobodyStaysStranded } from "./nobody-stays-stranded.ts";
import { noticesAreTrue } from "./notices-are-true.ts";
import { nothingBegunAgainstOrders } from "./nothing-begun-against-orders.ts";
import { nothingActedInObserveMode } from "./nothing-acted-in-observe-mode.ts";
import { nothingDoneBlind } from "./nothing-done-blind.ts";
import { oneActingSac } from "./one-acting-sac.ts";
import { oneRequeuePerAttempt } from "./one-requeue-per-attempt.ts";
import { onlyConstraintsWhileCompleting } from "./only-constraints-while-completing.ts";
import { ordersAreKept } from "./orders-are-kept.ts";
import { reissuedIdInheritsNothing } from "./reissued-id-inherits-nothing.ts";
import { signalsAreOfTheirAttempt } from "./signals-are-of-their-attempt.ts";
import { startDelayStaysAfterUnknown } from "./start-delay-stays-after-unknown.ts";
import { uncoveredIsNeverTouched } from "./uncovered-is-never-touched.ts";

export const checkers: readonly Checker[] = [
  oneRequeuePerAttempt,
  finishedIsNeverResurrected,
  onlyConstraintsWhileCompleting,
  startDelayStaysAfterUnknown,
  neverReleasedUnconstrained,
  noAdviceBeyondTheSuccessor,
  nothingDoneBlind,
  nothingActedInObserveMode,
  nothingBegunAgainstOrders,
  uncoveredIsNeverTouched,
  neverMoreThanMaxRequeueTimes,
  holdsOfOthersStay,
  nobodyStaysStranded,
  everyEffectWasBegun,
  oneActingSac,
  generationsOnlyGrow,
  auditIsComplete,
  signalsAreOfTheirAttempt,
  exclusionLeavesEnoughNodes,
  reissuedIdInheritsNothing,
  chainsRunOneAtATime,
  convergedIsTrue,
  abandonedIsTrue,
  healthyIsLeftAlone,
  excludedAreGuilty,
  gatesAreKept,
  acknowledgedIsKept,
  ordersAreKept,
  noticesAreTrue,
];

export interface Coverage {
  /** How often each kind of fault was injected. */
  readonly faults: ReadonlyMap<string, number>;
  /** How often a checker judged after it: `kind → checker → judgements`. */
  judged(): ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Judgements are counted once, and what a kind of fault has of them is what came since it was first injected. */
class Counts implements Coverage {
  readonly faults = new Map<string, number>();
  private readonly judgements = new Map<string, number>();
  private readonly before = new Map<string, ReadonlyMap<string, number>>();

  readonly observer: Observer = {
    fault: (kind) => {
      if (!this.before.has(kind)) this.before.set(kind, new Map(this.judgements));
      this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1);
    },
  };

  judges(checker: string): void {
    this.judgements.set(checker, (this.judgements.get(checker) ?? 0) + 1);
  }

  judged(): ReadonlyMap<string, ReadonlyMap<string, number>> {
    const since = (before: ReadonlyMap<string, number>) =>
      [...this.judgements].map(([checker, count]) => [checker, count - (before.get(checker) ?? 0)] as const);
    return new Map(
      Array.from(this.before, ([kind, before]) => [kind, new Map(since(before).filter(([, count]) => count > 0))]),
    );
  }
}

export function watchAll(world: World): { readonly coverage: Coverage; atEnd(): Promise<void> } {
  const chronicle = new Chronicle(world);
  const coverage = new Counts();
  world.observers.push(chronicle.observer, coverage.observer);
  const judges = checkers.map((checker) => {
    const judge: Judge = {
      world,
      chronicle,
      holds(is, otherwise) {
        coverage.judges(checker.name);
        if (!is) world.violate(checker.name, otherwise());
      },
    };
    world.observers.push(ofWholeJobs(checker.watch(judge)));
    return { checker, judge };
  });
  return {
    coverage,
    async atEnd() {
      for (const { checker, judge } of judges) await checker.atEnd?.(judge);
    },
  };
}

/** A heterogeneous job is judged by its leader. */
const ofWholeJobs = (observer: Observer): Observer => ({
  ...observer,
  slurm: (event) => void (event.ledBy === undefined && observer.slurm?.(event)),
});
