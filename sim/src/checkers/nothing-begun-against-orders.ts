/**
 * What people have ordered about the cluster counts within a second: once it is stopped, or observes, nothing is begun; where only some
 * partitions act, nothing outside them. And in observe mode SAC sends no command but those that end a hold of its own.
 *
 * Method  a step is begun when it stands in the journal. What is carried to its end was requeued by the same SAC.
 */
import { type ClusterOrders, noOrders } from "@reprise/core/mode/cluster-orders.ts";
import type { Entry } from "@reprise/sac/journal.ts";
import type { Checker } from "./checker.ts";

const obeyedWithinMs = 1_000;
const closing: ReadonlySet<string> = new Set(["mark", "update-constraints", "release", "set-start"]);

type Begun = Entry & { readonly kind: "begin" };

const begins = ({ action, work }: Begun): boolean =>
  ["requeue-hold", "cancel", "repair-dependency"].includes(action) ||
  (action === "release" && (work.desired === "RELEASED" || work.isOfChain === true));

export const nothingBegunAgainstOrders: Checker = {
  name: "nothing-begun-against-orders",
  watch({ world, holds }) {
    let orders: ClusterOrders = noOrders;
    let [stoppedAt, modeAt] = [0, 0];
    const isObeyed = (since: number) => world.clock.now() - since > obeyedWithinMs;
    const isObserving = () => orders.mode?.mode === "observe" && isObeyed(modeAt);
    return {
      clusterOrdered(given) {
        if (orders.stop === undefined) stoppedAt = world.clock.now();
        if (orders.mode?.at !== given.mode?.at || orders.mode?.mode !== given.mode?.mode) modeAt = world.clock.now();
        orders = given;
      },
      entry(_host, entry) {
        if (entry.kind !== "begin" || !begins(entry)) return;
        const { jobId, partition } = entry.work;
        const what = `${entry.action} of ${jobId}`;
        holds(orders.stop === undefined || !isObeyed(stoppedAt), () => `${what} is begun after it was stopped`);
        holds(!isObserving(), () => `${what} is begun in observe mode`);
        const allowed = orders.mode?.partitions;
        if (allowed === undefined || !isObeyed(modeAt)) return;
        const outside = partition.split(",").filter((name) => name !== "" && !allowed.includes(name));
        holds(outside.length === 0, () => `${what} is begun in ${outside.join(",")}; ordered is ${allowed.join(",")}`);
      },
      command(actor, { kind }, { expected: { jobId, restartCount } }) {
        // One that begins something was judged when it was begun; a SAC that was paused since sends it in vain.
        if (actor.role !== "sac" || !isObserving() || !closing.has(kind)) return;
        const isOurs = actor.host.disk.entries.some(
          (entry) =>
            entry.kind === "begin" &&
            entry.action === "requeue-hold" &&
            entry.work.jobId === jobId &&
            entry.work.attemptIndex === restartCount - 1,
        );
        holds(isOurs, () => `${actor.name}: ${kind} of ${jobId}, which we did not requeue, in observe mode`);
      },
    };
  },
};
