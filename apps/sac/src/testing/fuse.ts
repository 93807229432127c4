/** fuse: dies at the nth boundary of a port (before or after a call), and never again. */
export class Blown extends Error {}

export class Fuse {
  blown = false;
  private left: number;
  constructor(left: number) {
    this.left = left;
  }

  /** The same port, with a boundary before and one after each call. Works for promises and plain values. */
  guard = <Port extends object>(port: Port): Port => {
    const guarded = Object.entries(port as Record<string, unknown>).map(([name, member]): [string, unknown] => {
      if (typeof member !== "function") return [name, member];
      return [
        name,
        (...args: unknown[]) => {
          this.burn();
          const result: unknown = (member as (...a: unknown[]) => unknown)(...args);
          if (!(result instanceof Promise)) {
            this.burn();
            return result;
          }
          return result.then((value: unknown) => {
            this.burn();
            return value;
          });
        },
      ];
    });
    return Object.fromEntries(guarded) as Port;
  };

  private burn(): void {
    if (this.blown || --this.left > 0) return;
    this.blown = true;
    throw new Blown();
  }
}
