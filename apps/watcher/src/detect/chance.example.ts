/** chance.example: numbers of a known distribution from a seed: steps of a program vary in more ways than one. */
import { seededChance } from "@reprise/runtime/testing/fake-life.ts";

export interface Lots {
  /** In [0, 1). */
  uniform(): number;
  normal(): number;
  /** Student's t with three degrees of freedom, of variance one: heavy tails. */
  heavy(): number;
}

export function lotsFrom(seed: number): Lots {
  const { number: uniform } = seededChance(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const heavy = () => {
    const [a, b, c] = [normal(), normal(), normal()];
    return normal() / Math.sqrt(a * a + b * b + c * c); // t₃/√3
  };
  return { uniform, normal, heavy };
}
