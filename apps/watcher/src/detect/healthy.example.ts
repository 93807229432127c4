/**
 * healthy.example: step times of trainings with which nothing is wrong, in the shapes that logs really have. For properties, and for
 * measuring how often the detectors are wrong about them.
 */
import { type Lots, lotsFrom } from "./chance.example.ts";
import { type Event, steps, withPauses } from "./trace.example.ts";

export interface Shape {
  readonly name: string;
  /** @param count Step lines. */
  readonly events: (lots: Lots, count: number) => Event[];
}

/** Independent noise around a second or a minute, of a size between the quiet and the wild. */
function times(lots: Lots, count: number, noise: (lots: Lots) => number, change = (_index: number) => 1): number[] {
  const usual = 500 * 2 ** (8 * lots.uniform()); // 0.5 s to 2 min
  const size = 0.002 * 2 ** (6 * lots.uniform()); // 0.2 % to 13 %
  return Array.from({ length: count }, (_, index) =>
    Math.max(usual / 4, usual * change(index) * (1 + size * noise(lots))),
  );
}

const normal = (lots: Lots) => lots.normal();
const heavy = (lots: Lots) => lots.heavy();

/** What one step shares with the one before: data of the same file, neighbours on the network. */
function sticky(share: number): (lots: Lots) => number {
  let last = 0;
  return (lots) => (last = share * last + Math.sqrt(1 - share * share) * lots.normal());
}

const warmUp = (index: number) => 1 + 8 * Math.exp(-index / 8);

export const shapes: readonly Shape[] = [
  { name: "even", events: (lots, count) => steps(times(lots, count, normal)) },
  { name: "heavy tails", events: (lots, count) => steps(times(lots, count, heavy)) },
  { name: "sticky noise", events: (lots, count) => steps(times(lots, count, sticky(0.7))) },
  { name: "no step times printed", events: (lots, count) => steps(times(lots, count, normal), { printed: false }) },
  { name: "a warm-up ramp", events: (lots, count) => steps(times(lots, count, normal, warmUp)) },
  {
    name: "a spike of a quarter of an hour that heals",
    events: (lots, count) => {
      const all = times(lots, count, normal);
      const long = Math.floor((15 * 60_000) / (2 * all[0]!));
      return steps(all.map((ms, index) => (index % 250 >= 200 && index % 250 < 200 + long ? 2 * ms : ms)));
    },
  },
  {
    name: "one step in 25 that takes three times as long",
    events: (lots, count) => steps(times(lots, count, normal, (index) => (index % 25 === 24 ? 3 : 1))),
  },
  {
    name: "an evaluation of 12 min, announced by nobody",
    events: (lots, count) => withPauses(steps(times(lots, count, normal)), { every: 100, ms: 12 * 60_000 }),
  },
  {
    name: "an evaluation of 25 min, announced by nobody, no step times printed",
    events: (lots, count) =>
      withPauses(steps(times(lots, count, normal), { printed: false }), { every: 150, ms: 25 * 60_000 }),
  },
  {
    name: "an announced evaluation of 50 min",
    events: (lots, count) =>
      withPauses(steps(times(lots, count, normal)), {
        every: 200,
        ms: 50 * 60_000,
        begins: { kind: "evaluating" },
        ends: { kind: "evaluated" },
      }),
  },
  {
    name: "a slow checkpoint of 14 min",
    events: (lots, count) =>
      withPauses(steps(times(lots, count, normal)), {
        every: 120,
        ms: 14 * 60_000,
        begins: { kind: "saving" },
        ends: { kind: "saved" },
      }),
  },
];

/** A healthy training of a shape; the same seed gives the same one. */
export function healthy(shape: Shape, seed: number, count: number): Event[] {
  return shape.events(lotsFrom(seed), count);
}
