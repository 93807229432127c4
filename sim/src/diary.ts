/**
 * diary: what happened in a world, line by line; the same seed gives the same diary, byte for byte.
 *
 * Keeps   every line has the true time since the world began, who, and one sentence.
 * Bound   `linesMax`: the oldest go; the hash is over all of them.
 */
import { createHash } from "node:crypto";
import type { WorldClock } from "./clock.ts";

const linesMax = 20_000;
/** Lines are hashed together: a call for each costs more than its hash. */
const unhashedCharsMax = 65_536;

export class Diary {
  readonly lines: string[] = [];
  /** Lines ever written. */
  count = 0;
  private readonly clock: WorldClock;
  private readonly begunAt: number;
  private readonly hash = createHash("sha256");
  private unhashed = "";
  private readonly listeners: ((who: string, text: string) => void)[] = [];

  constructor(clock: WorldClock) {
    this.clock = clock;
    this.begunAt = clock.now();
  }

  write(who: string, text: string): void {
    const line = `${this.time()} ${who.padEnd(8)} ${text}`;
    this.lines.push(line);
    this.count++;
    if (this.lines.length > linesMax) this.lines.splice(0, linesMax / 2);
    this.unhashed += `${line}\n`;
    if (this.unhashed.length > unhashedCharsMax) this.hashLines();
    for (const listener of this.listeners) listener(who, text);
  }

  onLine(listener: (who: string, text: string) => void): void {
    this.listeners.push(listener);
  }

  digest(): string {
    this.hashLines();
    return this.hash.copy().digest("hex");
  }

  private hashLines(): void {
    this.hash.update(this.unhashed);
    this.unhashed = "";
  }

  /** `1:02:03.456` since the world began. */
  time(): string {
    const ms = this.clock.now() - this.begunAt;
    const two = (n: number) => String(n).padStart(2, "0");
    const seconds = Math.floor(ms / 1000);
    const rest = String(ms % 1000).padStart(3, "0");
    return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${rest}`;
  }
}
