/** until-enter: waits for a person at the terminal. */
import type { Readable } from "node:stream";

/** Resolves when Enter is pressed, when there is nobody to press it (`input` has ended), or when `signal` is aborted. */
export function untilEnter(input: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      input.off("data", onData).off("end", done).off("error", done).pause();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const onData = (chunk: Buffer | string) => chunk.includes("\n") && done();
    if (signal.aborted || input.readableEnded) return resolve();
    input.on("data", onData).on("end", done).on("error", done).resume();
    signal.addEventListener("abort", done);
  });
}
