/** view: how something is to be shown: width, colours, now, time zone. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { Console } from "../console.ts";
import { createPaint, type Paint } from "./paint.ts";

export interface View {
  readonly width: number;
  readonly paint: Paint;
  readonly now: Instant;
  readonly timeZone: string;
}

export function viewOf(console: Console): View {
  const { width, hasColour } = console.outTerminal;
  return { width, paint: createPaint(hasColour), now: console.now(), timeZone: console.timeZone };
}
