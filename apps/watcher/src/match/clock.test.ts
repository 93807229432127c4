/** Goal: the time that a line shows, in the usual forms. Method: a table. */
import { expect, test } from "vitest";
import { clockIn } from "./clock.ts";

const at = Date.UTC(2025, 2, 1, 10, 40, 0);

// biome-ignore format: a table is read by its columns
const lines: [line: string, at: number | undefined][] = [
  ["2025-03-01 10:40:00,123 - INFO - x",        at + 123],
  ["[2025-03-01 10:40:00.5] x",                 at + 500],
  ["2025-03-01T10:40:00Z x",                    at],
  ["2025-03-01T12:40:00+02:00 x",               at],
  ["[rank3]: 2025/03/01 10:40:00 x",            at],
  ["10:40:00 x",                                undefined],
  ["step 20250301 loss 10:40",                  undefined],
  ["",                                          undefined],
];
test.each(lines)("%s", (line, time) => expect(clockIn(line)).toBe(time));
