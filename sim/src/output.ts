/**
 * output: what a program has printed, and its buffer still holds: standard output that goes to a file comes in bursts, errors at once.
 *
 * Keeps   the order of the lines. What the buffer holds when the program dies of a signal is lost; when it exits, it comes then.
 */
export class Output {
  private held: string[] = [];
  private readonly linesMax: number;
  private readonly write: (lines: readonly string[]) => void;

  /** @param linesMax A burst has at least so many lines; 1: each line comes at once. */
  constructor(linesMax: number, write: (lines: readonly string[]) => void) {
    this.linesMax = linesMax;
    this.write = write;
  }

  print(...lines: readonly string[]): void {
    this.held.push(...lines);
    if (this.held.length >= this.linesMax) this.flush();
  }

  flush(): void {
    const lines = this.held;
    this.held = [];
    if (lines.length > 0) this.write(lines);
  }
}
