/**
 * fuse: a process that dies at the nth boundary of its ports (before or after a call), and is started again once.
 *
 * Keeps   who is dead does nothing more: a port that was guarded before the fuse blew only throws from then on, whatever the code
 *         behind it catches. What is guarded after it belongs to the next process, and works.
 */
export class Blown extends Error {}

export class Fuse {
  /** How many boundaries were passed in all. */
  passed = 0;
  blown = false;
  private left: number;

  /** @param left The boundary at which it blows; the first is 1. */
  constructor(left: number) {
    this.left = left;
  }

  /** The same port, with a boundary before and one after each call. Works for promises and plain values. */
  guard = <Port extends object>(port: Port): Port => {
    const isSecond = this.blown;
    const guarded = Object.entries(port as Record<string, unknown>).map(([name, member]): [string, unknown] => {
      if (typeof member !== "function") return [name, member];
      return [
        name,
        (...args: unknown[]) => {
          this.burn(isSecond);
          const result: unknown = (member as (...a: unknown[]) => unknown)(...args);
          if (!(result instanceof Promise)) {
            this.burn(isSecond);
            return result;
          }
          return result.then((value: unknown) => {
            this.burn(isSecond);
            return value;
          });
        },
      ];
    });
    return Object.fromEntries(guarded) as Port;
  };

  private burn(isSecond: boolean): void {
    if (isSecond) return;
    if (this.blown) throw new Blown();
    this.passed++;
    if (--this.left > 0) return;
    this.blown = true;
    throw new Blown();
  }
}

/** For a call that may die: what it throws by dying is nothing; every other error is. */
export const unlessBlown = (error: unknown): undefined => {
  if (!(error instanceof Blown)) throw error;
  return undefined;
};
