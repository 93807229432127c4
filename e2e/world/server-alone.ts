/** server-alone: `reprise server` started by a test with the words of a document or a unit: on free ports, and where it says that it listens. */
import type { ServerReady } from "@reprise/server/config.ts";

export const freePorts: Readonly<Record<string, string>> = Object.fromEntries(
  ["HTTP", "GRPC", "INTERNAL_HTTP", "INTERNAL_GRPC"].map((name) => [`REPRISE_${name}_PORT`, "0"]),
);

/** @param words All that it has printed. @returns Undefined: it does not listen yet. */
export function readyIn(words: string): ServerReady | undefined {
  const line = /^\{"ready":true.*\}$/m.exec(words)?.[0];
  return line === undefined ? undefined : (JSON.parse(line) as ServerReady);
}
