/**
 * Goal    a terminal is given back as it was, however the program ends; a picture never blanks the screen before it is drawn.
 * Method  two streams that keep what was written to them.
 */
import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { interrupt, openScreen } from "./screen.ts";

function terminal() {
  const written: string[] = [];
  const raw: boolean[] = [];
  const keys: string[] = [];
  let exit: (() => void) | undefined;
  const output = Object.assign(new EventEmitter(), {
    columns: 40,
    rows: 3,
    write: (text: string) => void written.push(text),
  });
  const input = Object.assign(new EventEmitter(), {
    setRawMode: (isRaw: boolean) => void raw.push(isRaw),
    resume: () => undefined,
    pause: () => undefined,
  });
  const resized = { count: 0 };
  const events = { onKey: (key: string) => void keys.push(key), onResize: () => void resized.count++ };
  const screen = openScreen(output, input, events, (restore) => {
    exit = restore;
    return () => (exit = undefined);
  });
  return { screen, output, input, written, raw, keys, resized, exit: () => exit?.() };
}

test("a picture is one write that clears only behind what it has drawn, and no more lines than there are rows", () => {
  const { screen, written } = terminal();
  screen.draw(["a", "b", "c", "d"]);
  expect(written.slice(1)).toEqual(["\u001b[Ha\u001b[K\r\nb\u001b[K\r\nc\u001b[K\u001b[J"]);
});

test("the other screen, the cursor, the wrapping and the keys are given back, once", () => {
  const { screen, output, input, written, raw, exit } = terminal();
  expect([written, raw]).toEqual([["\u001b[?1049h\u001b[?25l\u001b[?7l"], [true]]);
  screen.close();
  screen.close();
  exit();
  screen.draw(["late"]);
  expect(written.slice(1)).toEqual(["\u001b[?7h\u001b[?25h\u001b[?1049l"]);
  expect(raw).toEqual([true, false]);
  expect([output.listenerCount("resize"), input.listenerCount("data")]).toEqual([0, 0]);
});

test("a process that ends for another reason gives it back, too", () => {
  const { written, exit } = terminal();
  exit();
  expect(written.at(-1)).toBe("\u001b[?7h\u001b[?25h\u001b[?1049l");
});

test("keys come one by one, Ctrl-C among them, and a new size is told", () => {
  const { screen, output, input, keys, resized } = terminal();
  input.emit("data", Buffer.from(`xq${interrupt}`));
  expect(keys).toEqual(["x", "q", interrupt]);
  output.columns = 100;
  output.emit("resize");
  expect([resized.count, screen.size()]).toEqual([1, { width: 100, height: 3 }]);
});
