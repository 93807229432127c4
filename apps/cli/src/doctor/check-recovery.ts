/**
 * check-recovery: whether the parts of Reprise that belong here live, as far as this machine shows it. Pure.
 *
 * Keeps   the judgement of a heartbeat is the watchdog's own.
 */
import { limits } from "@reprise/core/limits.ts";
import { recoveryLife } from "@reprise/core/watchdog/stranded.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { checkMode } from "./check-mode.ts";
import type { Facts } from "./facts.ts";

export function checkRecovery(facts: Facts): readonly Check[] {
  const { beats } = facts;
  const isKnownHere = beats.sac !== undefined || beats.watchdog !== undefined;
  return [
    checkServer(facts),
    ...(isKnownHere ? [checkSac(facts), checkWatchdog(facts)] : []),
    ...checkKillSwitch(facts),
    ...checkMode(facts),
  ];
}

function checkServer({ server: { url, answer } }: Facts): Check {
  if (answer.kind === "not-found")
    return warn(
      "server",
      `none answers at ${url}: ${answer.why}`,
      "Start it with `reprise up` or `reprise server`, or give --url.",
    );
  return answer.value.isReady
    ? ok("server", `ready at ${url}`)
    : warn(
        "server",
        `at ${url} says that it is not ready`,
        "Its log says why: it starts, stops, or cannot reach its database.",
      );
}

function checkSac({ beats: { sac }, wanted, now }: Facts): Check {
  const patience = { failOpenAfterMs: wanted.failOpenAfter, serverGraceMs: wanted.serverGrace };
  const life = recoveryLife(sac === undefined ? undefined : { ...sac, mode: "act" }, now, patience);
  if (!life.isLiving) return warn("SAC", life.why, "Is it running? Its log says what it waits for.");
  return ok("SAC", `lives, in ${sac?.mode ?? "observe"} mode`);
}

function checkWatchdog({ beats: { watchdog }, wanted, now }: Facts): Check {
  const needed = wanted.mode === "act" && wanted.requireWatchdog ? fail : warn;
  const todo = "SAC acts only beside a living watchdog in act mode: `reprise watchdog --watchdog-mode act`.";
  if (watchdog === undefined) return needed("watchdog", "has left no heartbeat", todo);
  const age = now - watchdog.at;
  if (age > limits.heartbeatStaleMs)
    return needed("watchdog", `its heartbeat is ${Math.round(age / 1000)} s old`, todo);
  if (watchdog.mode !== "act" && wanted.mode === "act") return needed("watchdog", "lives, in observe mode", todo);
  return ok("watchdog", `lives, in ${watchdog.mode} mode`);
}

function checkKillSwitch({ beats }: Facts): readonly Check[] {
  if (!beats.isKillSwitchOn) return [];
  return [
    warn(
      "kill switch",
      "is on: nothing new is begun",
      "Remove `kill-switch` from SAC's folder when you are ready to go on.",
    ),
  ];
}
