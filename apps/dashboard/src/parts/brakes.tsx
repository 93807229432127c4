/** brakes: what holds recovery back by a person's or the site's will. Who sees that it acts must see that, too. */
import { useQuery } from "@tanstack/react-query";
import { modeQuery } from "../api/queries.ts";
import { counted } from "../words/counted.ts";
import { printable } from "../words/printable.ts";
import { Ago } from "./clock.tsx";

const words: Readonly<Record<string, string>> = {
  "kill-switch": "The kill switch is on: SAC begins nothing new.",
  "stop-order": "SAC has stopped as it was told: it begins nothing new.",
  "restarts-per-minute": "More restarts are due than one minute may have: the others wait.",
};

export function Brakes() {
  const { data } = useQuery(modeQuery());
  const { orders, sac } = data?.mode ?? {};
  const brakes = sac?.brakes ?? [];
  const stop = orders?.stop;
  if (brakes.length === 0 && stop === undefined) return null;
  return (
    <section className="stale" role="status" aria-label="What holds recovery back">
      {stop === undefined ? null : (
        <p>
          <b>Stopped</b> by {printable(stop.by ?? "")} <Ago at={stop.at} />: {printable(stop.reason ?? "")}
        </p>
      )}
      {brakes.map(({ kind = "", since, heldBack = 0 }) => (
        <p key={kind}>
          <b>{kind}</b> {words[kind] ?? ""} Since <Ago at={since} />
          {heldBack > 0 ? `; ${counted(heldBack, "job waits", "jobs wait")} for it` : ""}.
        </p>
      ))}
    </section>
  );
}
