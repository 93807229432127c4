/**
 * screen: a whole terminal, drawn again and again, and given back as it was.
 *
 * Takes   the two streams of a terminal; over ssh they are the same.
 * Writes  the terminal's other screen (ECMA-48; `?1049` of xterm): what stood there comes back at the end, also when the process exits
 *         for another reason.
 * Keeps   a picture is one write from the top left corner, each line cleared behind its text and what is below cleared last: nothing is
 *         blank in between, so nothing flickers. A line that is too long is cut by the terminal, not wrapped.
 */

export interface ScreenOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

export interface ScreenInput {
  setRawMode?(isRaw: boolean): unknown;
  on(event: "data", listener: (given: Buffer | string) => void): unknown;
  off(event: "data", listener: (given: Buffer | string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface Screen {
  size(): { readonly width: number; readonly height: number };
  /** At most as many lines as it has rows; the rest is not shown. */
  draw(lines: readonly string[]): void;
  /** Gives the terminal back. May be called twice. */
  close(): void;
}

export interface ScreenEvents {
  onKey(key: string): void;
  onResize(): void;
}

const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const leave = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const home = "\u001b[H";
const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";
export const interrupt = "\u0003";

/** @param atExit Called with what gives the terminal back; gives how to forget it. */
export function openScreen(
  output: ScreenOutput,
  input: ScreenInput,
  events: ScreenEvents,
  atExit: (restore: () => void) => () => void = whenProcessExits,
): Screen {
  const onData = (given: Buffer | string) => {
    for (const key of given.toString()) events.onKey(key);
  };
  const onResize = () => events.onResize();
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    forget();
    output.off("resize", onResize);
    input.off("data", onData);
    input.setRawMode?.(false);
    input.pause();
    output.write(leave);
  };
  const forget = atExit(close);
  output.write(enter);
  input.setRawMode?.(true);
  input.on("data", onData);
  input.resume();
  output.on("resize", onResize);
  const size = () => ({ width: output.columns ?? 80, height: output.rows ?? 24 });
  return {
    size,
    draw(lines) {
      if (!isOpen) return;
      const shown = lines.slice(0, size().height);
      output.write(`${home}${shown.map((line) => `${line}${clearLine}`).join("\r\n")}${clearBelow}`);
    },
    close,
  };
}

function whenProcessExits(restore: () => void): () => void {
  process.on("exit", restore);
  return () => process.off("exit", restore);
}
