/**
 * tellOnce: one pass of the loop that tells people: what is new goes into the outbox, and what is due goes out.
 *
 * In the loop   records → notices → **outbox → webhook**
 * Writes        the outbox. Nothing of a recovery waits for this or depends on it (invariant 13).
 * Keeps         into the outbox a notice comes once. A call whose answer was lost is made again: the receiver knows it by its `id`.
 * Fails         a receiver that does not take it is asked again after 10 s, 20 s, … at most an hour, for a day; then it is given up,
 *               and the log has it. Another receiver's notices do not wait for it longer than its one call.
 * Bound         `batchMax` notices a call, one call a receiver and pass.
 */
import type { Log } from "@reprise/runtime/life.ts";
import type { Manager } from "../context.ts";
import { deriveNotices } from "./derive-notices.ts";
import { isQuiet, type Receiver } from "./notice.ts";
import type { SendNotices } from "./send-notices.ts";

const batchMax = 50;
/** Longer than a call may take. */
const claimMs = 60_000;
const firstAgainMs = 10_000;
const againMaxMs = 3_600_000;
const giveUpAfterMs = 24 * 3_600_000;

/** After so many failures, how long is waited for the next try. */
export const againAfterMs = (failures: number): number =>
  Math.min(againMaxMs, firstAgainMs * 2 ** Math.min(failures - 1, 20));

type Deps = Pick<Manager, "store" | "clock" | "site">;

export async function tellOnce(deps: Deps, receivers: readonly Receiver[], send: SendNotices, log: Log): Promise<void> {
  const { store, clock } = deps;
  await store.recordNotices(await deriveNotices(deps), receivers, clock.now());
  await Promise.all(receivers.map((receiver) => sendDue(deps, receiver, send, log)));
}

async function sendDue({ store, clock }: Deps, receiver: Receiver, send: SendNotices, log: Log): Promise<void> {
  const now = clock.now();
  const { name } = receiver;
  const kinds = isQuiet(receiver, now)
    ? receiver.kinds.filter((kind) => receiver.always.includes(kind))
    : receiver.kinds;
  const claimed = await store.claimNotices({ receiver: name, kinds, limit: batchMax, claimMs }, now);
  if (claimed.length === 0) return;
  const keys = claimed.map(({ notice }) => notice.key);
  const why = await send(
    receiver,
    claimed.map(({ notice }) => notice),
    now,
  );
  if (why === undefined) return store.settleNotices(name, keys, { kind: "taken" });
  log.warn({ receiver: name, notices: keys.length, why }, "a webhook has not taken what it was told");
  for (const { notice, recordedAt, tries } of claimed) {
    const isGivenUp = now - recordedAt >= giveUpAfterMs;
    if (isGivenUp) log.error({ receiver: name, notice: notice.key, why }, "a notice is given up after a day");
    await store.settleNotices(
      name,
      [notice.key],
      isGivenUp ? { kind: "given-up", why } : { kind: "failed", why, againAt: clock.now() + againAfterMs(tries + 1) },
    );
  }
}
