/**
 * traceback: finds the last line of Python tracebacks, which is the one that says what happened.
 *
 * In the loop   lines of one file → **last line** → matcher.matchTracebackEnd
 * Takes         lines in order. What stands before `Traceback (most recent call last):` (a rank, a host, nothing) stands
 *               before every line of that traceback, and keeps the tracebacks of several ranks apart.
 * Gives         the exception line without that prefix, once for each header seen.
 * Bound         `openMax` open tracebacks a file, each for `linesMax` lines: what never ends is given up.
 * Source        CPython, traceback module: frames are indented, the exception is not.
 */
const openMax = 64;
const linesMax = 2_000;

// `KeyError: x`, `AssertionError`, `torch.OutOfMemoryError: …`, `pkg.mod.SomethingOdd`; never `INFO: …`.
const exception = new RegExp(
  "^(?:(?:[A-Za-z_]\\w*\\.)+[A-Z]\\w*|[A-Z]\\w*(?:Error|Exception|Exit|Interrupt|Iteration|Warning|Expired|Timeout|Fault|Group))" +
    "(?::\\s|:?\\s*$)",
);

interface Open {
  /** Several ranks without a prefix print their tracebacks into each other. */
  headers: number;
  linesLeft: number;
}

export class Tracebacks {
  private readonly open = new Map<string, Open>();

  /** True when some line may belong to a traceback, and so must be read whole. */
  get isOpen(): boolean {
    return this.open.size > 0;
  }

  begin(prefix: string): void {
    const open = this.open.get(prefix);
    if (open !== undefined) {
      open.headers++;
      open.linesLeft = linesMax;
    } else if (this.open.size < openMax) {
      this.open.set(prefix, { headers: 1, linesLeft: linesMax });
    }
  }

  /**
   * @param body What stands behind the line's prefixes: a clock among them may show another time than in the header.
   * @returns the exception line when this line ends a traceback.
   */
  end(text: string, body: string): string | undefined {
    let ended: string | undefined;
    for (const [prefix, open] of this.open) {
      if (--open.linesLeft <= 0) this.open.delete(prefix);
      const rest = text.startsWith(prefix)
        ? text.slice(prefix.length)
        : sameKind(prefix, text, body)
          ? body
          : undefined;
      if (ended !== undefined || rest === undefined || !exception.test(rest)) continue;
      ended = rest;
      if (--open.headers === 0) this.open.delete(prefix);
    }
    return ended;
  }
}

/** The same prefix but for its numbers: `2025-03-01 10:40:00,123 ERROR `. */
function sameKind(prefix: string, text: string, body: string): boolean {
  const own = text.slice(0, text.length - body.length);
  return /\d/.test(own) && withoutNumbers(own) === withoutNumbers(prefix);
}

const withoutNumbers = (text: string) => text.replace(/\d+/g, "#").trimEnd();
