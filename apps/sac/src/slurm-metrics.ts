/**
 * slurm-metrics: how long Slurm takes to answer SAC or the watchdog, and how its commands end.
 *
 * In the loop   **look**, **apply**
 * Keeps         nothing of what a call does is changed; `unavailable` and `unknown` are counted as what they are.
 */
import type { Seen } from "@reprise/core/nouns.ts";
import type { Clock } from "@reprise/runtime/clock.ts";
import { measuredPort } from "@reprise/runtime/measured-port.ts";
import { callBuckets, type Metrics } from "@reprise/runtime/metrics.ts";
import { type Command, type Order, type Outcome, outcomeKinds, type Slurm } from "./slurm/slurm.ts";

const calls = ["look", "holdReasons", "apply", "applyAll"] as const;
const kinds: readonly Command["kind"][] = [
  "requeue-hold",
  "update-constraints",
  "repair-dependency",
  "mark",
  "release",
  "set-start",
  "cancel",
];

export function measuredSlurm(slurm: Slurm, metrics: Metrics, clock: Pick<Clock, "elapsed">): Slurm {
  const seconds = metrics.spread({
    name: "reprise_slurm_call_seconds",
    help: "Of one listing of Slurm, or of commands that were sent together. `unavailable`: it could not be read.",
    labels: { call: calls, outcome: ["answered", "unavailable", "failed"] },
    buckets: callBuckets,
  });
  const commands = metrics.count({
    name: "reprise_slurm_commands_total",
    help: "Commands to Slurm by how each ended. `unknown`: it may have happened; the next look says.",
    labels: { command: kinds, outcome: outcomeKinds },
  });
  const count = ({ command }: Pick<Order, "command">, outcome: Outcome | undefined) => {
    if (outcome !== undefined) commands.add({ command: command.kind, outcome: outcome.kind });
  };
  const timed = measuredPort(slurm, calls, clock, (call, passed, answer) =>
    seconds.observe({ call, outcome: answer === undefined ? "failed" : seen(answer.value) }, passed),
  );
  return {
    ...timed,
    async apply(command, fence) {
      const outcome = await timed.apply(command, fence);
      count({ command }, outcome);
      return outcome;
    },
    async applyAll(orders) {
      const ended = await timed.applyAll(orders);
      for (const [i, order] of orders.entries()) count(order, ended[i]);
      return ended;
    },
  };
}

const seen = (value: unknown): string =>
  (value as Partial<Seen<unknown>>).kind === "unavailable" ? "unavailable" : "answered";
