/** Goal    what is written to a stream is what it can show: colours and drawing over only where a terminal has them. */
import { expect, test } from "vitest";
import { terminal } from "./environment.ts";

const tty = { isTTY: true, columns: 120 };

// biome-ignore format: one line a case
test.each([
  ["a terminal",                         tty, {},                                   { isTty: true,  width: 120, hasColour: true,  canRedraw: true }],
  ["one without colours",                tty, { NO_COLOR: "1" },                    { isTty: true,  width: 120, hasColour: false, canRedraw: true }],
  ["one that only goes on",              tty, { TERM: "dumb" },                     { isTty: true,  width: 120, hasColour: false, canRedraw: false }],
  ["a pipe",                             {},  {},                                   { isTty: false, width: 80,  hasColour: false, canRedraw: false }],
  ["a pipe to something with colours",   {},  { FORCE_COLOR: "1" },                 { isTty: false, width: 80,  hasColour: true,  canRedraw: false }],
  ["both asked for and refused",         {},  { FORCE_COLOR: "1", NO_COLOR: "1" },  { isTty: false, width: 80,  hasColour: false, canRedraw: false }],
] as const)("%s", (_what, stream, env, shown) => expect(terminal(stream, env)).toEqual(shown));
