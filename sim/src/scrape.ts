/**
 * scrape: a world as Prometheus sees it: what each part tells at `/metrics`, once a minute of the world's time.
 *
 * Gives   series in the form of promtool's tests: one value a scrape, `_` where nobody tells it.
 * Keeps   the metrics are made by the parts' own code, as their `main.ts` adds them. A part that is dead or paused answers nothing.
 */
import { createMetrics, type Metrics } from "@reprise/runtime/metrics.ts";
import type { Running, World } from "./world.ts";

export interface Series {
  readonly series: string;
  readonly values: string;
}

export class Scrapes {
  private readonly world: World;
  private readonly metrics = new Map<Running, Metrics>();
  private readonly series = new Map<string, string[]>();
  count = 0;

  constructor(world: World) {
    this.world = world;
  }

  async scrape(): Promise<void> {
    for (const run of this.world.running.values()) {
      if (run.measured === undefined || run.process.isPaused) continue;
      for (const [name, value] of samplesIn(await this.of(run, run.measured).text())) {
        const values = this.series.get(name) ?? [];
        this.series.set(name, values);
        while (values.length < this.count) values.push("_");
        values[this.count] = value;
      }
    }
    this.count++;
  }

  all(): readonly Series[] {
    return [...this.series].map(([series, values]) => ({
      series,
      values: Array.from({ length: this.count }, (_, i) => values[i] ?? "_").join(" "),
    }));
  }

  private of(run: Running, measured: NonNullable<Running["measured"]>): Metrics {
    const known = this.metrics.get(run);
    if (known !== undefined) return known;
    const made = createMetrics(run.process.life.log);
    measured.addMetrics(made);
    this.metrics.set(run, made);
    return made;
  }
}

/** Lines of Prometheus' text format: a series, a space, a value. */
const samplesIn = (text: string): readonly (readonly [name: string, value: string])[] =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)] as const);
