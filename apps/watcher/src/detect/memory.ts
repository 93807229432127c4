/**
 * memory: what the detectors of one attempt know, as text that travels with its log positions.
 *
 * Takes   the state of the detectors; a text that an earlier watcher wrote.
 * Gives   undefined for a text that cannot be read: the detectors then begin anew, as if the attempt had just been seen.
 * Keeps   state and offset are stored in one transaction; lines that are read twice are told by their step.
 * Source  docs/decisions/0007, 0020
 */
import type { Instant } from "@reprise/core/nouns.ts";
import type { LogPosition } from "../server.ts";
import type { PulseState } from "./pulse.ts";
import type { SpeedState } from "./speed.ts";

export interface Memory {
  readonly version: 1;
  readonly savedAt: Instant;
  readonly startedAt: Instant;
  readonly firstStepAt?: Instant;
  readonly savedStepAt?: Instant;
  readonly lastStep?: number;
  /** When it was seen, also where nobody watched since. Absent in memories of before 2026-11-30. */
  readonly lastStepAt?: Instant;
  readonly pulse: PulseState;
  readonly speed?: SpeedState;
}

export function writeMemory(memory: Memory): string {
  return JSON.stringify(memory);
}

/** Of all files of an attempt the text that was written last. */
export function readMemory(positions: readonly Pick<LogPosition, "memory">[]): Memory | undefined {
  const known = positions.flatMap(({ memory }) => (memory === undefined ? [] : (parsed(memory) ?? [])));
  return known.toSorted((a, b) => a.savedAt - b.savedAt).at(-1);
}

function parsed(text: string): Memory | undefined {
  try {
    const memory = JSON.parse(text) as Memory;
    return memory.version === 1 && Number.isFinite(memory.savedAt) && Number.isFinite(memory.pulse.since)
      ? memory
      : undefined;
  } catch {
    return undefined;
  }
}
