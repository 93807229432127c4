/** fake-console: a console for tests that keeps what was written. */
import type { Environment } from "@reprise/runtime/environment.ts";
import type { Console } from "../console.ts";

export interface FakeConsole extends Console {
  readonly outText: () => string;
  readonly errText: () => string;
}

export function fakeConsole(env: Environment = {}, workDir = "/here"): FakeConsole {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = { isTty: false, width: 80, hasColour: false, canRedraw: false };
  return {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    outTerminal: terminal,
    errTerminal: terminal,
    env,
    workDir,
    now: () => Date.UTC(2030, 0, 31, 14, 10, 0),
    timeZone: "UTC",
    outText: () => out.join(""),
    errText: () => err.join(""),
  };
}
