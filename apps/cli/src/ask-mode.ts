/** ask-mode: what may be done on the cluster, asked of a server beside the way: where it does not say, that is no failure. */
import { createClient } from "./client.ts";
import type { Console } from "./console.ts";
import { type Found, found, notFound } from "./doctor/found.ts";
import type { WireClusterMode, WireModeAnswer } from "./wire-mode.ts";

export async function askMode(
  options: Parameters<typeof createClient>[0],
  console: Console,
): Promise<Found<WireClusterMode>> {
  try {
    const { mode } = await createClient(options, console).get<WireModeAnswer>("/reprise/v1/mode", {}, "the mode");
    return mode === undefined ? notFound("it says nothing of it") : found(mode);
  } catch (error) {
    return notFound(error instanceof Error ? error.message : String(error));
  }
}
