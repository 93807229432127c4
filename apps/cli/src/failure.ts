/** failure: why a command ends without having done what it was asked; what to do about it; and its exit code. */
export class Failure extends Error {
  /** 1: it could not be done. 2: it was asked wrongly. */
  readonly exitCode: 1 | 2;
  /** What the reader can do, one suggestion a line. */
  readonly hints: readonly string[];

  constructor(message: string, { exitCode = 1, hints = [] }: { exitCode?: 1 | 2; hints?: readonly string[] } = {}) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCode;
    this.hints = hints;
  }
}

/** @param what For the message: what is read. @throws a `Failure`: it cannot be read. */
export function readable<T>(what: string, read: () => T, exitCode: Failure["exitCode"] = 1): T {
  try {
    return read();
  } catch (error) {
    throw new Failure(`${what} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      exitCode,
    });
  }
}
