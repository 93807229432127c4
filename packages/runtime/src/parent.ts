/**
 * parent: the child's side of `processes.ts`: the first message, what it says back, and whether the parent still lives.
 *
 * Keeps   `gone` is aborted as soon as the parent has ended, however it ended: the kernel closes the channel.
 */
export interface Parent {
  /** What the parent sent first: for our programs their configuration. */
  readonly firstMessage: Promise<unknown>;
  readonly gone: AbortSignal;
  /** Dropped when the parent is gone. */
  say(message: object): void;
  /** Closes the channel, so that it does not keep this process alive. */
  leave(): void;
}

/** Nobody started this process through `startChild`: `undefined`. */
export function parentOfThisProcess(): Parent | undefined {
  if (process.send === undefined) return undefined;
  const gone = new AbortController();
  process.once("disconnect", () => gone.abort());
  return {
    firstMessage: new Promise((resolve) => process.once("message", resolve)),
    gone: gone.signal,
    say(message) {
      if (process.connected) process.send?.(message, undefined, undefined, () => {});
    },
    leave() {
      if (process.connected) process.disconnect();
    },
  };
}
