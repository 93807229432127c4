/** chance.example: numbers of a known distribution from a seed: steps of a program vary in more ways than one. */
export interface Lots {
  /** In [0, 1). */
  uniform(): number;
  normal(): number;
  /** Student's t with three degrees of freedom, of variance one: heavy tails. */
  heavy(): number;
}

export function lotsFrom(seed: number): Lots {
  let state = seed >>> 0;
  const uniform = () => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const heavy = () => {
    const [a, b, c] = [normal(), normal(), normal()];
    return normal() / Math.sqrt(a * a + b * b + c * c); // t₃/√3
  };
  return { uniform, normal, heavy };
}
