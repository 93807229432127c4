/** override-table: what people order about jobs. See `postgres/override-store.ts`. */
import { latestAttempt } from "@reprise/core/identity/latest-attempt.ts";
import type { Instant } from "@reprise/core/nouns.ts";
import type { Written } from "../postgres/changes.ts";
import { storable } from "../postgres/storable.ts";
import { auditOf } from "../rules/next-generation.ts";
import type { Order, Ordered, OverrideTarget } from "../../override-order.ts";
import { judge, type Judged, overrideEvent, unknownTarget } from "../rules/override-rules.ts";
import { addGeneration, getAdvice } from "./advice-table.ts";
import { recordOwnEvents } from "./audit-table.ts";
import { raiseKnownFacts } from "./facts-table.ts";
import { waitingOf } from "./graph-table.ts";
import { attemptOf, newestIncarnation, siblingsOf } from "./job-table.ts";
import { overridesOf } from "./order-rows.ts";
import { at, type Tables } from "./tables.ts";

export function previewOverride(t: Tables, target: OverrideTarget, order: Order, now: Instant): Ordered {
  const { attempt, override, effect } = judgeOrder(t, target, order, now).judged;
  return { attempt, override, effect };
}

function judgeOrder(t: Tables, target: OverrideTarget, given: Order, now: Instant) {
  const row =
    "jobId" in target
      ? latestAttempt(newestIncarnation(t, target.cluster, target.jobId))
      : t.jobs.get(target.heimdallJobId.toLowerCase());
  if (row === undefined) throw unknownTarget(target);
  const family = siblingsOf(t, row);
  const adviceOf = (uuid: string) => getAdvice(t, uuid);
  const count = overridesOf(t, family).length;
  const attempts = family.map((one) => attemptOf(t, one));
  return { judged: judge(storable(given), attemptOf(t, row), attempts, adviceOf, count, now), family };
}

export function setOverride(t: Tables, target: OverrideTarget, order: Order, now: Instant): Written<Ordered> {
  const { judged, family } = judgeOrder(t, target, order, now);
  const { heimdallJobId: uuid } = judged.attempt;
  if (order.action === "clear") for (const { heimdallJobId } of family) t.overrides.delete(heimdallJobId);
  const number = Math.max(0, ...[...t.overrides.values()].flat().map((known) => known.number)) + 1;
  at(t.overrides, uuid, () => []).push({ ...judged.override, number });
  recordOwnEvents(t, [overrideEvent(judged)]);
  const withdrawn = withdraw(t, judged, now);
  const { attempt, override, effect } = judged;
  const ofJob = family.map(({ heimdallJobId }) => heimdallJobId);
  raiseKnownFacts(t, [...new Set([...ofJob, ...waitingOf(t, attempt.cluster)])], now);
  const changes = [uuid, ...withdrawn].map((heimdallJobId) => ({
    kind: "advice" as const,
    heimdallJobId,
  }));
  return { answer: { attempt, override, effect }, changes };
}

function withdraw(t: Tables, { withdrawals }: Judged, now: Instant): string[] {
  for (const { advice, said } of withdrawals) {
    const generation = addGeneration(t, advice, said, now);
    recordOwnEvents(t, [auditOf(generation, said, said, { ...advice, isRolledBack: false }, now)]);
  }
  return withdrawals.map(({ advice }) => advice.heimdallJobId);
}
