/**
 * chance: all lots of a world, from one 64-bit seed.
 *
 * Takes   a seed; a concern, by name, gets lots of its own: drawing more in one leaves the others as they were.
 * Gives   the runtime's `Chance`, and the draws that worlds are made of.
 * Keeps   the same seed gives the same lots on every machine: 32-bit arithmetic, no `Math.random`, no library.
 * Source  sfc32 (Chris Doty-Humphrey, PractRand) and FNV-1a, both in the public domain.
 */
import type { Chance } from "@reprise/runtime/life.ts";

export class Lots implements Chance {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;
  private readonly seed: bigint;

  constructor(seed: bigint) {
    this.seed = BigInt.asUintN(64, seed);
    this.a = Number(this.seed & 0xffffffffn) | 0;
    this.b = Number(this.seed >> 32n) | 0;
    this.c = 0x9e3779b9 | 0;
    for (let i = 0; i < 15; i++) this.next();
  }

  /** Lots of their own for one concern. */
  of(concern: string): Lots {
    let hash = 0xcbf29ce484222325n ^ this.seed;
    for (let i = 0; i < concern.length; i++) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(concern.charCodeAt(i))) * 0x100000001b3n);
    }
    return new Lots(hash);
  }

  number(): number {
    return this.next() / 2 ** 32;
  }

  uuid(): string {
    const hex = (n: number) => n.toString(16).padStart(8, "0");
    const text = hex(this.next()) + hex(this.next()) + hex(this.next()) + hex(this.next());
    return `${text.slice(0, 8)}-${text.slice(8, 12)}-4${text.slice(13, 16)}-a${text.slice(17, 20)}-${text.slice(20)}`;
  }

  /** Whole, both ends included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.number() * (max - min + 1));
  }

  yes(probability: number): boolean {
    return this.number() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error("nothing to pick from");
    return list[this.int(0, list.length - 1)] as T;
  }

  /** @param weights One for each thing; they need not sum to 1. */
  weighted<T>(weights: readonly (readonly [thing: T, weight: number])[]): T {
    let left = this.number() * weights.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [thing, weight] of weights) if ((left -= weight) < 0) return thing;
    return weights[weights.length - 1]![0];
  }

  /** Between the two, small ones as likely as large ones (log-uniform). */
  spread(min: number, max: number): number {
    return Math.exp(Math.log(min) + this.number() * (Math.log(max) - Math.log(min)));
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.number());
  }

  private next(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + t;
    this.c |= 0;
    return t >>> 0;
  }
}
