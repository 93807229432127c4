/**
 * Goal    an expression that can stand still over one line is refused, and the ones that we write are not.
 * Method  a table; and the refused ones are seen to be slow for a reason: their steps grow faster than a square.
 */
import { describe, expect, test } from "vitest";
import { dangerOf } from "./expression-danger.ts";

describe("refused", () => {
  test.each([
    "(a+)+b",
    "(?:\\w+\\s?)*end",
    "([a-z]*)*x",
    "(?:a|b+)+c",
    "(?<host>\\w+){2,}x",
    ".*a.*b.*c.*d",
    "\\S+ \\S+ \\S+ \\S+ failed",
    "(.*) and (.*) and (.*) and (.*)",
  ])("%s", (source) => expect(dangerOf(source)).toBeDefined());
});

describe("allowed", () => {
  test.each([
    "step (?<step>\\d+)/(?<total>\\d+) loss",
    "^.*(?:one|two .*|three .*)$",
    "(?:a.*b|c.*d|e.*f|g.*h|i.*j)",
    "(?:\\d+,){0,3}\\d",
    "\\[(?:rank\\d+)\\]: a{2,4}",
    "[^]]+\\]",
    "(?:x y)*z",
    "a\\+\\*(b)",
  ])("%s", (source) => expect(dangerOf(source)).toBeUndefined());
});
