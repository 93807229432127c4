/**
 * incident: hundreds of lines about one failure, as a person asks for them: the root, what followed from it, what was survived.
 *
 * In the loop   Signals, Decision → **incident** → Explain
 * Pure, total   undefined: no line speaks of a failure, and nothing is put down to Slurm's state.
 * Keeps         the root is what the decision was made from; only without one it is what stands by itself. A line after which training
 *               went on belongs to no failure, whatever it says.
 * Source        design §6, "one incident gives one Advice".
 */
import type { Evidence, Instant, Progress, Signal, SignalKind } from "../nouns.ts";
import { rootOf, wentOn } from "../situation/root.ts";
import type { Phase } from "../situation/situation.ts";

export interface Incident<S extends Signal = Signal> {
  /** Absent: no line says why; Slurm's state is all there is. */
  readonly root?: S;
  /** Lines of the same failure, each cause once, the earliest first. */
  readonly consequences: readonly SignalGroup[];
  /** Lines after which training went on. */
  readonly survived: readonly SignalGroup[];
}

/** Lines that say the same. */
export interface SignalGroup {
  readonly kind: SignalKind;
  readonly cause: string;
  /** As many as were told; the watcher tells of each rank once, and of hundreds not all. */
  readonly count: number;
  /** How many ranks said so. */
  readonly ranks: number;
  readonly nodes: readonly string[];
  readonly paths: readonly string[];
  readonly firstAt: Instant;
  readonly lastAt: Instant;
}

const faults: ReadonlySet<SignalKind> = new Set(["crash", "hang", "slowdown", "numerics"]);

/** @param blamed What the decision put the failure down to. Absent: nothing was decided from a failure. */
export function incidentOf<S extends Signal>(
  signals: readonly S[],
  progress: Progress,
  phase: Phase,
  blamed: Evidence | undefined,
): Incident<S> | undefined {
  const told = signals.filter(({ kind }) => faults.has(kind));
  const cause = blamed ?? rootOf(told, progress, phase)[0]?.evidence;
  const root = cause && told.find(({ evidence }) => isSame(evidence, cause));
  const others = told.filter((signal) => signal !== root);
  if (root === undefined && others.length === 0) return undefined;
  const isSurvived = (signal: Signal) => wentOn(signal, progress, phase);
  return {
    ...(root === undefined ? {} : { root }),
    consequences: grouped(others.filter((signal) => !isSurvived(signal))),
    survived: grouped(others.filter(isSurvived)),
  };
}

const isSame = (a: Evidence, b: Evidence): boolean => a.line === b.line && a.path === b.path && a.offset === b.offset;

function grouped(signals: readonly Signal[]): readonly SignalGroup[] {
  const groups = Map.groupBy(signals, ({ kind, cause = "" }) => `${kind} ${cause}`);
  return [...groups.values()].flatMap((same) => groupOf(same) ?? []).toSorted((a, b) => a.firstAt - b.firstAt);
}

function groupOf(same: readonly Signal[]): SignalGroup | undefined {
  const [first] = same;
  if (first === undefined) return undefined;
  const times = same.map(({ at }) => at);
  return {
    kind: first.kind,
    cause: first.cause ?? "",
    count: same.length,
    ranks: distinct(same.flatMap(({ rank }) => rank ?? [])).length,
    nodes: distinct(same.flatMap(({ nodes }) => nodes)),
    paths: distinct(same.flatMap(({ evidence }) => evidence.path ?? [])),
    firstAt: Math.min(...times),
    lastAt: Math.max(...times),
  };
}

const distinct = <T>(values: readonly T[]): readonly T[] => [...new Set(values)];
