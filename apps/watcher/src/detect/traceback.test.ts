/**
 * Goal    each traceback gives its exception line once, also when ranks print into each other.
 * Method  tables of logs.
 */
import { describe, expect, test } from "vitest";
import { partsOf } from "../match/speaker.ts";
import { Tracebacks } from "./traceback.ts";

const header = "Traceback (most recent call last):";

function exceptionsOf(lines: readonly string[]): string[] {
  const tracebacks = new Tracebacks();
  const ends: string[] = [];
  for (const line of lines) {
    const at = line.indexOf(header);
    if (at !== -1) tracebacks.begin(line.slice(0, at));
    else ends.push(...[tracebacks.end(line, partsOf(line).body)].filter((e) => e !== undefined));
  }
  return ends;
}

describe("a traceback gives its last line", () => {
  // biome-ignore format: a table is read by its columns
  const logs: [log: string, lines: string[], ends: string[]][] = [
    ["plain", [header, '  File "a.py", line 3', "    x()", "    ^^^", "KeyError: 'x'"], ["KeyError: 'x'"]],
    ["with a rank before each line", [`[rank3]: ${header}`, '[rank3]:   File "a.py"', "[rank3]: KeyError: 'x'"], ["KeyError: 'x'"]],
    ["of two ranks into each other",
      [`[rank3]: ${header}`, `[rank4]: ${header}`, "[rank4]: ValueError: b", "[rank3]: KeyError: 'x'"],
      ["ValueError: b", "KeyError: 'x'"]],
    ["of two ranks without a prefix", [header, header, "  File a", "ValueError: b", "ValueError: b"], ["ValueError: b", "ValueError: b"]],
    ["chained", [header, "KeyError: 1", "", "During handling of the above exception, another exception occurred:", "", header, "ValueError: 2"],
      ["KeyError: 1", "ValueError: 2"]],
    ["with other output in between", [header, "INFO: still here", '  File "a.py"', "torch.OutOfMemoryError: CUDA"], ["torch.OutOfMemoryError: CUDA"]],
    ["of a bare assertion", [header, "AssertionError"], ["AssertionError"]],
    ["with a clock before each line", [`2025-03-01 10:40:00,123 ERROR ${header}`, "2025-03-01 10:40:00,124 ERROR KeyError: 'x'"], ["KeyError: 'x'"]],
    ["only when there was one", ["KeyError: 'x'"], []],
    ["only once", [header, "KeyError: 'x'", "ValueError: logged later"], ["KeyError: 'x'"]],
    ["unless it never ends", [header, ...Array<string>(2_001).fill("  noise"), "KeyError: 'x'"], []],
  ];
  test.each(logs)("%s", (_log, lines, ends) => expect(exceptionsOf(lines)).toEqual(ends));
});
