/**
 * Goal    what a logger has wrapped into one line is read as the lines that the program wrote.
 * Method  a table of lines in the forms of real loggers.
 */
import { describe, expect, test } from "vitest";
import { messageLines } from "./message.ts";

describe("the lines inside", () => {
  // biome-ignore format: a table is read by its columns
  const lines: [form: string, line: string, inner: string[], speaker: object][] = [
    ["a message",            '{"ts": "2025-03-01", "level": "error", "message": "KeyError: 3"}', ["KeyError: 3"], {}],
    ["escaped newlines",     '{"msg":"Traceback (most recent call last):\\n  File \\"a.py\\"\\nKeyError: 3"}', ["Traceback (most recent call last):", '  File "a.py"', "KeyError: 3"], {}],
    ["a rank and a host",    '{"message": "boom", "rank": 7, "hostname": "node-a"}', ["boom"], { rank: 7, host: "node-a" }],
    ["behind a prefix",      '[rank3]: {"log": "boom\\n"}', ["boom"], { rank: 3 }],
    ["a stack beside it",    '{"event": "step failed", "exc_info": "Traceback (most recent call last):\\nValueError: x"}', ["step failed", "Traceback (most recent call last):", "ValueError: x"], {}],
    ["a step beside it",     '{"msg": "train", "level": "ERROR", "step": 12, "loss": 2.1}', ["train", '{"step": 12,"loss": 2.1}'], {}],
    ["one of an evaluation", '{"msg": "eval done", "step": 12, "loss": 2.1}', ["eval done"], {}],
    ["cut in the middle",    '{"message": "one\\ntwo and a ha', ["one", "two and a ha"], {}],
    ["no object at all",     "ERROR Traceback (most recent call last):\\n  File a\\nKeyError: 3", ["ERROR ", "Traceback (most recent call last):", "  File a", "KeyError: 3"], {}],
  ];
  test.each(lines)("%s", (_form, line, inner, speaker) =>
    expect(messageLines(line)).toEqual({ lines: inner, speaker }),
  );
});

test.each([
  "step 12 loss 2.1",
  '{"step": 12, "loss": 2.1}',
  'INFO | train | {"epoch": 1, "loss": "2.6"}',
  "a \\n in a path",
])("an ordinary line: %s", (line) => expect(messageLines(line)).toBeUndefined());
