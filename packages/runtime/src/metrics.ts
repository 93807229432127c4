/**
 * metrics: what a part counts about itself, for Prometheus. Made once by its root and handed down: there is no global registry.
 *
 * Takes   a name by Prometheus' conventions (unit last, `_total` for counters), and for each label the closed list of its values.
 * Keeps   the number of series is bounded: a value that is not in its list is counted as `other`. What could not be found out is
 *         absent from the answer, never 0 and never as it was before (`reprise_metrics_source_up` says which source failed).
 * Source  prometheus.io, "Metric and label naming"; docs/decisions/0042.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Log } from "./life.ts";

/** Of each label the values that it may have. */
type Closed<L extends string> = Readonly<Record<L, readonly string[]>>;
type Values<L extends string> = Readonly<Record<L, string>>;

export interface MetricSpec<L extends string> {
  /** Begins with `reprise_`. */
  readonly name: string;
  readonly help: string;
  readonly labels: Closed<L>;
}

/** Since this process began. */
export interface Count<L extends string> {
  add(labels: Values<L>, by?: number): void;
}

export interface Level<L extends string> {
  set(labels: Values<L>, value: number): void;
  raise(labels: Values<L>, by: number): void;
  clear(): void;
}

export interface Spread<L extends string> {
  observe(labels: Values<L>, value: number): void;
  clear(): void;
}

export interface Metrics {
  /** Each series is there from the beginning, at 0: a first failure is an increase. */
  count<L extends string>(spec: MetricSpec<L>): Count<L>;
  /** Absent until it is set. */
  level<L extends string>(spec: MetricSpec<L>): Level<L>;
  /** @param spec `buckets`: their upper bounds, ascending. */
  spread<L extends string>(spec: MetricSpec<L> & { readonly buckets: readonly number[] }): Spread<L>;
  /**
   * Before each answer `look` sets what `of` holds.
   * @param look First finds out, then sets without waiting: two answers may be made at once. If it fails, `of` is cleared.
   */
  source(name: string, of: readonly { clear(): void }[], look: () => Promise<void> | void): void;
  /** Never rejects for a source that failed. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Seconds of a call in this machine room. */
export const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface Source {
  readonly name: string;
  readonly of: readonly { clear(): void }[];
  readonly look: () => Promise<void> | void;
}

/** @param ofProcess `processMetrics` in a program; nothing in tests and in the simulator, where many parts share one process. */
export function createMetrics(
  log: Pick<Log, "warn">,
  ofProcess: (registry: Registry) => void = () => undefined,
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const sources: Source[] = [];
  const up = new Gauge({
    name: "reprise_metrics_source_up",
    help: "1: what this source says stands in this answer. 0: it could not be found out, and is absent.",
    labelNames: ["source"],
    registers,
  });
  ofProcess(registry);

  return {
    count: ({ name, help, labels }) => {
      const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
      for (const values of combinations(labels)) counter.inc(values, 0);
      return { add: (values, by = 1) => counter.inc(listed(labels, values), by) };
    },
    level: ({ name, help, labels }) => {
      const gauge = new Gauge({ name, help, labelNames: Object.keys(labels), registers });
      const clear = clearing(gauge, labels);
      clear();
      return {
        set: (values, value) => gauge.set(listed(labels, values), value),
        raise: (values, by) => gauge.inc(listed(labels, values), by),
        clear,
      };
    },
    spread: ({ name, help, labels, buckets }) => {
      const histogram = new Histogram({
        name,
        help,
        labelNames: Object.keys(labels),
        buckets: [...buckets],
        registers,
      });
      const clear = clearing(histogram, labels);
      clear();
      return { observe: (values, value) => histogram.observe(listed(labels, values), value), clear };
    },
    source(name, of, look) {
      sources.push({ name, of, look });
    },
    async text() {
      await Promise.all(sources.map((source) => ask(source, up, log)));
      return await registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** CPU, memory, open files, the delay of the event loop, garbage collection: of the whole process. */
export function processMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}

async function ask({ name, of, look }: Source, up: Gauge, log: Pick<Log, "warn">): Promise<void> {
  try {
    await look();
    up.set({ source: name }, 1);
  } catch (error) {
    for (const one of of) one.clear();
    up.set({ source: name }, 0);
    log.warn({ source: name, error }, "what metrics tell could not be found out; it is absent from this answer");
  }
}

/** A metric without labels is 0 after `reset`: then it is taken away. */
function clearing(metric: { reset(): void; remove(): void }, labels: object): () => void {
  const hasLabels = Object.keys(labels).length > 0;
  return () => (hasLabels ? metric.reset() : metric.remove());
}

const other = "other";

function listed<L extends string>(labels: Closed<L>, values: Values<L>): Record<string, string> {
  const names = Object.keys(labels) as L[];
  return Object.fromEntries(names.map((name) => [name, labels[name].includes(values[name]) ? values[name] : other]));
}

function combinations(labels: Closed<string>): readonly Record<string, string>[] {
  return Object.entries(labels).reduce<readonly Record<string, string>[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}
