/**
 * mode: what may be done on a cluster: `GetMode`, `SetMode` and `SetBrake` of `reprise.v1.RecoveryService`.
 *
 *     GET  /reprise/v1/mode     viewer, operator, controller
 *     POST /reprise/v1/mode     operator
 *     POST /reprise/v1/brake    operator
 *
 * In the loop   a person → **order** → store → SAC → gate
 * Keeps         every order has a reason and the name of who gave it. With `preview` nothing is ordered: the answer is that of the order.
 * Fails         `invalid` names the field; `precondition` for an order that nothing could follow from. Nothing is left behind.
 *               Repeated, an order is given twice: it is another generation and changes nothing else.
 * Bound         `limits.partitionsMax` partitions, `limits.overrideReasonCharsMax` characters a reason.
 */
import { limits } from "@reprise/core/limits.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { SetModeRequest } from "@reprise/protocol/gen/reprise/v1/mode_pb.ts";
import type { RecoveryService } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { identifier, invalid, oneOf, shown } from "@reprise/protocol/wire/check.ts";
import { modeFromWire, ordersToWire, sacReportToWire } from "@reprise/protocol/wire/cluster-mode.ts";
import { instantToWire } from "@reprise/protocol/wire/instant.ts";
import type { ClusterOrder, ModeToOrder } from "../cluster-order.ts";
import type { Caller, Manager } from "../context.ts";
import { reasonOf } from "../reason.ts";
import type { Store } from "../store.ts";
import { clusterOf } from "./cluster-of.ts";
import { openThere } from "./open-there.ts";

type Routes = Pick<RpcHandlers<typeof RecoveryService, Caller>, "getMode" | "setMode" | "setBrake">;

export function modeRoutes({ store, clock, site }: Manager): Routes {
  const give = async (cluster: string, order: ClusterOrder, { preview }: { readonly preview: boolean }) => {
    const now = clock.now();
    const judge = preview ? store.previewClusterOrder : store.orderCluster;
    const { orders, effect } = await judge(cluster, order, now);
    const letsAct = "mode" in order ? order.mode === "act" : order.action === "go";
    const open = letsAct ? await openThere(store, cluster, orders, now) : "";
    return { mode: await clusterMode(store, cluster, now), effect: `${effect}${open}` };
  };
  return {
    async getMode(request) {
      return { mode: await clusterMode(store, clusterOf(site, request.cluster), clock.now()) };
    },

    async setMode(request, { name: by }) {
      return await give(clusterOf(site, request.cluster), { ...modeOf(request), by }, request);
    },

    async setBrake(request, { name: by }) {
      const action = oneOf("action", request.action, ["stop", "go"]);
      return await give(clusterOf(site, request.cluster), { action, reason: reasonOf(request.reason), by }, request);
    },
  };
}

async function clusterMode(store: Store, cluster: string, now: Instant) {
  const [orders, pass, lease] = await Promise.all([
    store.clusterOrders(cluster),
    store.passState(cluster),
    store.leaseOf(cluster),
  ]);
  return {
    cluster,
    mode: pass?.mode ?? "",
    partitions: pass?.mode === "act" ? [...pass.partitions] : [],
    orders: ordersToWire(orders),
    ...(pass?.reportId === undefined ? {} : { lastReportId: pass.reportId }),
    ...(pass?.sac === undefined ? {} : { sac: sacReportToWire(pass.sac) }),
    ...(pass === undefined ? {} : { reportedAt: instantToWire(pass.heardAt) }),
    ...(lease === undefined || lease.expiresAt <= now
      ? {}
      : { lease: { holder: lease.holder, term: BigInt(lease.term), expiresAt: instantToWire(lease.expiresAt) } }),
  };
}

function modeOf({ mode: given, partitions, reason }: SetModeRequest): Omit<ModeToOrder, "by"> {
  const mode = modeFromWire("mode", given);
  const named = [...new Set(partitions.map((name, i) => partitionOf(`partitions[${i}]`, name)))];
  if (named.length > limits.partitionsMax)
    throw invalid("partitions", `has ${named.length} names; expected at most ${limits.partitionsMax}`);
  if (mode === "act" && named.length === 0) throw invalid("partitions", "is required with act: say where");
  if (mode === "observe" && named.length > 0) throw invalid("partitions", "goes with act; observe is everywhere");
  return { mode, partitions: named, reason: reasonOf(reason) };
}

/** As Slurm names them: a list of them is written with commas. */
function partitionOf(field: string, given: string): string {
  if (/[\s,]/.test(given)) throw invalid(field, `${shown(given)}; expected one partition's name`);
  return identifier(field, given);
}
