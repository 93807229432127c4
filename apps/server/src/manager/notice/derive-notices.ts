/**
 * deriveNotices: one look at the records: what is to be told now. Whoever looks again, or elsewhere, finds the same keys.
 *
 * In the loop   records → **derive** → outbox (`tell-once.ts` beside it)
 * Takes         how jobs, sight and nodes stand now (level, not edge), and the releases that the audit trail has.
 * Gives         the notices of all that is so and has lasted long enough; known ones too: the outbox knows them.
 * Writes        since when each condition has been so.
 * Keeps         nobody is sent to a job that is still being thought about, nor called for what is over within `lastsMs`. In observe mode
 *               a restart that would have been made is no stop: recovery was not to act.
 * Bound         what has ended in the last `lookBackMs`: whoever was down longer tells only of those.
 */
import { clearedBy } from "@reprise/core/evidence/clearance.ts";
import { ledgerOf } from "@reprise/core/evidence/ledger.ts";
import { endingOf } from "@reprise/core/explain/ending.ts";
import { type Blindness, blindnessOf } from "@reprise/core/now/blindness.ts";
import { type Instant, isActive } from "@reprise/core/nouns.ts";
import { present } from "@reprise/protocol/wire/check.ts";
import type { Manager } from "../context.ts";
import type { StandingRecord } from "../now-store.ts";
import type { Notice } from "./notice.ts";

/** A blink, a pass that failed once, a restart of SAC: not worth a call. Nor is a job called stopped before Slurm has settled. */
const lastsMs = 60_000;
const lookBackMs = 24 * 3_600_000;
const pageRows = 200;

type Deps = Pick<Manager, "store" | "clock" | "site">;

export async function deriveNotices(deps: Deps): Promise<readonly Notice[]> {
  const { store, clock, site } = deps;
  const now = clock.now();
  // A site that begins to be told is not told what was before.
  const begun = (await store.holdConditions("", ["notices"], now)).get("notices") ?? now;
  const from = Math.max(begun, now - lookBackMs);
  const lasting = await lastingNotices(deps, now);
  return [...lasting, ...(await stopped(deps, from, now)), ...(await released(deps, from))].map((notice) => ({
    ...notice,
    cluster: notice.cluster === "" ? site.cluster : notice.cluster,
  }));
}

/** Blindness and nodes: what begins and ends. */
async function lastingNotices(deps: Deps, now: Instant): Promise<readonly Notice[]> {
  const { store, site } = deps;
  const { cluster } = site;
  const found = [...(await blind(deps, now)), ...(await repeating(deps, now))];
  const names = found.map(({ key }) => key);
  const since = await store.holdConditions(cluster, names, now);
  return found.flatMap((notice) => {
    const at = since.get(notice.key) ?? now;
    return now - at < lastsMs ? [] : [{ ...notice, at, key: `${notice.key}/${at}` }];
  });
}

async function blind({ store, site: { cluster } }: Deps, now: Instant): Promise<readonly Notice[]> {
  const [pass, lease, jobs] = await Promise.all([
    store.passState(cluster),
    store.leaseOf(cluster),
    store.countJobs(cluster, now, now),
  ]);
  const notice = ({ kind, says, whatToDo }: Blindness): Notice => ({
    key: `blind/${cluster}/${kind}`,
    kind: "blind",
    cluster,
    at: now,
    says,
    whatToDo,
  });
  return blindnessOf({ ...jobs, ...present({ pass, lease }) }, now).map(notice);
}

async function repeating({ store, site: { cluster } }: Deps, now: Instant): Promise<readonly Notice[]> {
  const [nodes, entries, clearances] = await Promise.all([
    store.listNodes(cluster),
    store.loadEvidence(cluster, now),
    store.loadClearances(cluster, now),
  ]);
  const { standings } = ledgerOf(entries, nodes.length, now, clearedBy(clearances));
  return [...standings.values()]
    .filter(({ isAccused }) => isAccused)
    .map(({ node, failures, expected }) => ({
      key: `node-repeats/${cluster}/${node}`,
      kind: "node-repeats",
      cluster,
      at: now,
      says: `Node ${node} has failed ${failures} different jobs; of an equal fleet it would be ${expected.toFixed(1)}.`,
      whatToDo: `\`reprise nodes ${node}\` shows the evidence. Drain and repair it, then \`reprise nodes clear ${node} --reason …\`.`,
      node,
    }));
}

async function stopped({ store, site: { cluster } }: Deps, from: Instant, now: Instant): Promise<readonly Notice[]> {
  const found: Notice[] = [];
  let before: number | undefined;
  for (;;) {
    const filter = { cluster, standing: "stopped", endedFrom: from } as const;
    const { rows, hasMore } = await store.listStandings(filter, { limit: pageRows, ...present({ before }) }, now);
    found.push(...rows.flatMap((row) => stopOf(row, now) ?? []));
    before = rows.at(-1)?.createdSeq;
    if (!hasMore || before === undefined) return found;
  }
}

function stopOf({ attempt, advice, decision }: StandingRecord, now: Instant): Notice | undefined {
  const { heimdallJobId, jobId, attemptIndex, cluster, endedAt: at, coverage } = attempt;
  if (decision === undefined || at === undefined || now - at < lastsMs) return undefined;
  const own = advice?.attemptIndex === attemptIndex ? advice : undefined;
  const isOnlyObserved = own !== undefined && isActive(own, now) && own.status.reason === "OBSERVE_MODE";
  if (isOnlyObserved && own.desired === "RESTARTED") return undefined;
  const ending = endingOf(coverage, decision.decision, own, jobId);
  return {
    key: `recovery-stopped/${heimdallJobId}`,
    kind: "recovery-stopped",
    cluster,
    at,
    says: `Job ${jobId} (attempt ${attemptIndex}) is down and is not brought back: ${ending?.stoppedBy ?? decision.decision.because}.`,
    whatToDo: ending?.whatToDo ?? `\`reprise explain ${jobId}\` tells the whole story.`,
    ...about(attempt),
  };
}

async function released({ store }: Deps, from: Instant): Promise<readonly Notice[]> {
  const notices: Notice[] = [];
  const filter = { type: "watchdog.released", producer: "watchdog", fromUs: from * 1000 };
  let after: { readonly producedAtUs: number; readonly id: number } | undefined;
  for (;;) {
    const walk = { order: "asc", limit: pageRows, ...present({ after }) } as const;
    const { rows, hasMore } = await store.listAuditEvents(filter, walk);
    for (const { id, producedAtUs, heimdallJobId, jobId = "" } of rows) {
      const attempt = heimdallJobId === undefined ? undefined : await store.getJobByUuid(heimdallJobId);
      notices.push({
        key: `hold-released/${id}`,
        kind: "hold-released",
        cluster: attempt?.cluster ?? "",
        at: Math.floor(producedAtUs / 1000),
        says: `The watchdog has let job ${jobId} go: recovery had left it held, and nobody made progress.`,
        whatToDo: `It may start without its constraints. \`reprise explain ${jobId}\`, and why recovery stood still: \`reprise doctor\`.`,
        ...(attempt === undefined ? present({ heimdallJobId, jobId: jobId || undefined }) : about(attempt)),
      });
    }
    after = rows.at(-1);
    if (!hasMore || after === undefined) return notices;
  }
}

const about = ({ heimdallJobId, jobId, attemptIndex }: StandingRecord["attempt"]) => ({
  heimdallJobId,
  jobId,
  attemptIndex,
});
