/** target-table: which attempts' logs are to be read, and by which watcher. See `postgres/target-store.ts`. */
import type { Instant } from "@reprise/core/nouns.ts";
import type { ClaimedTargets, Target, TargetClaim } from "../../store.ts";
import { isFinal } from "../attempt/job-row.ts";
import type { NumberedRow } from "../attempt/follow-up.ts";
import { positionsBefore } from "../attempt/positions-before.ts";
import { targetVersion } from "../rules/target-version.ts";
import { attemptOf, siblingsOf } from "./job-table.ts";
import { nodeLinesOf } from "./node-log-table.ts";
import { positionsOf } from "./signal-table.ts";
import type { Tables } from "./tables.ts";

export function claimTargets(t: Tables, ask: TargetClaim, leaseMs: number, now: Instant): ClaimedTargets {
  const { watcher, limit } = ask;
  const released = new Set(ask.release);
  const renew = new Set(ask.renew.filter((uuid) => !released.has(uuid)).slice(0, limit));
  for (const uuid of released) {
    const { watcher: holder, ...row } = t.targets.get(uuid) ?? { expiresAt: 0 };
    if (holder === watcher) t.targets.set(uuid, { ...row, expiresAt: 0 });
  }
  const renewed = [...renew].filter((uuid) => t.targets.get(uuid)?.watcher === watcher);
  // What this watcher holds without renewing it, it has forgotten: it was restarted under the same name.
  const free = [...t.targets].filter(
    ([uuid, row]) => (row.expiresAt <= now || row.watcher === watcher) && !renew.has(uuid) && !released.has(uuid),
  );
  free.sort(([, a], [, b]) => a.expiresAt - b.expiresAt);
  const claimed = free.slice(0, Math.max(0, limit - renewed.length)).map(([uuid]) => uuid);
  const all = [...renewed, ...claimed];
  for (const uuid of all) t.targets.set(uuid, { ...t.targets.get(uuid), watcher, expiresAt: now + leaseMs });
  const isKnown = (uuid: string) => {
    const row = t.jobs.get(uuid);
    return row !== undefined && versionOf(t, row) === ask.known?.get(uuid);
  };
  const unchanged = new Set(renewed.filter(isKnown));
  const toTell = all.filter((uuid) => !unchanged.has(uuid));
  return { targets: targetsOf(t, toTell, now), unchanged: [...unchanged].sort() };
}

function versionOf(t: Tables, row: NumberedRow): string {
  const seqOf = (uuid: string) => t.facts.get(uuid)?.seq ?? 0;
  const earlier = earlierThan(t, row);
  const earlierSeq = earlier.reduce((sum, { heimdallJobId }) => sum + seqOf(heimdallJobId), 0);
  const versioned = { seq: seqOf(row.heimdallJobId), earlier: earlier.length, earlierSeq };
  return targetVersion(versioned, t.targets.get(row.heimdallJobId)?.nodeLinesNumber ?? 0);
}

const earlierThan = (t: Tables, row: NumberedRow): NumberedRow[] =>
  siblingsOf(t, row).filter(({ attemptIndex }) => attemptIndex < row.attemptIndex);

/** In the order of creation. */
function targetsOf(t: Tables, uuids: readonly string[], now: Instant): Target[] {
  const rows = uuids.flatMap((uuid) => t.jobs.get(uuid) ?? []).sort((a, b) => a.createdSeq - b.createdSeq);
  return rows.map((row) => ({
    attempt: attemptOf(t, row),
    ended: isFinal(row.status),
    positions: positionsOf(t, row.heimdallJobId),
    earlier: earlierThan(t, row)
      .sort((a, b) => a.attemptIndex - b.attemptIndex)
      .flatMap(({ heimdallJobId, attemptIndex }) =>
        positionsBefore(positionsOf(t, heimdallJobId), attemptIndex === row.attemptIndex - 1),
      ),
    nodeLines: nodeLinesOf(t, row, now),
    nodeLinesNumber: t.targets.get(row.heimdallJobId)?.nodeLinesNumber ?? 0,
    version: versionOf(t, row),
  }));
}
