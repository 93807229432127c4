/**
 * webhook: who is told by the server that a person is needed, and how a call to him fails.
 *
 * Gives   what the real sending gives: undefined when it was taken, else why not. A call whose answer is lost has arrived.
 */
import type { Instant } from "@reprise/core/nouns.ts";
import { type Notice, noticeKinds, type Receiver } from "@reprise/server/manager/notice/notice.ts";
import type { World } from "./world.ts";

/** Of each call, 0 to 1, in a world with trouble. */
const [awayShare, lostAnswerShare] = [0.3, 0.2];
const slowMaxMs = 5_000;

export class Webhook {
  readonly receivers: readonly Receiver[];
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
    // Idle heartbeats may lapse where idle waits grow, and nobody is blind then.
    const kinds = noticeKinds.filter((kind) => kind !== "blind" || world.spec.reprise.idleMaxMs === undefined);
    this.receivers = [
      { name: "ops", url: { text: "https://hook.test/" }, form: "json", kinds, groupForMs: 0, always: [] },
    ];
  }

  async send(_receiver: Receiver, notices: readonly Notice[], _now: Instant): Promise<string | undefined> {
    const { world } = this;
    const chance = world.lots.of(`webhook ${world.clock.now()}`);
    const hasTrouble = !world.isHealed && world.spec.faults.network.dropRequest > 0;
    if (hasTrouble) await world.clock.wait(Math.round(chance.spread(1, slowMaxMs)));
    if (hasTrouble && chance.yes(awayShare)) {
      world.fault("webhook away");
      return "the receiver is away";
    }
    for (const notice of notices) {
      const about =
        notice.jobId === undefined ? (notice.node ?? notice.cluster) : `${notice.jobId}#${notice.attemptIndex}`;
      world.diary.write("webhook", `${notice.kind} ${about}: ${notice.says}`);
      for (const o of world.observers) o.told?.(notice);
    }
    if (!hasTrouble || !chance.yes(lostAnswerShare)) return undefined;
    world.fault("webhook answer lost");
    return "the answer was lost";
  }
}
