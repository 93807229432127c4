/**
 * order-cluster: gives one order about a whole cluster, and waits for SAC to take it.
 *
 * Gives   what follows, and how it stands then. Exit code 3: recorded, and SAC has not taken it within `takenWithinMs`.
 */
import { systemClock } from "@reprise/runtime/clock.ts";
import { type ClientOptions, createClient } from "../client.ts";
import type { Console } from "../console.ts";
import { renderClusterOrder } from "../render/mode.ts";
import { viewOf } from "../render/view.ts";
import { isTaken, type WireModeAnswer } from "../wire-mode.ts";

/** SAC asks at every pass, and is told at once. */
const takenWithinMs = 10_000;
const askEveryMs = 250;

interface Given extends ClientOptions {
  readonly reason: string;
  readonly cluster?: string;
}

export async function orderCluster(path: string, what: object, options: Given, console: Console): Promise<void> {
  const { reason, cluster } = options;
  const client = createClient(options, console);
  const named = cluster === undefined ? {} : { cluster };
  let answer = await client.post<WireModeAnswer>(path, { ...what, ...named, reason }, "the mode");
  const { effect = "" } = answer;
  for (let waitedMs = 0; !isTaken(answer.mode ?? {}) && waitedMs < takenWithinMs; waitedMs += askEveryMs) {
    await systemClock.sleep(askEveryMs);
    answer = { ...(await client.get<WireModeAnswer>("/reprise/v1/mode", named, "the mode")), effect };
  }
  console.out(
    options.json === true ? `${JSON.stringify(answer, undefined, 2)}\n` : renderClusterOrder(answer, viewOf(console)),
  );
  if (!isTaken(answer.mode ?? {})) process.exitCode = 3;
}
