/** stages: what became of one Advice: where it stands, and the three stages, each by itself. */
import type { AttemptStoryJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { Ago } from "../parts/clock.tsx";
import { Standing } from "../parts/standing.tsx";
import { printable } from "../words/printable.ts";
import { adviceWord, desiredWord, statusRest } from "../words/wire-words.ts";

/** Three different things; none is inferred from another. */
export function Stages({ story: { stages = {}, advice = [], progress = {} } }: { readonly story: AttemptStoryJson }) {
  const newest = advice.at(-1);
  if (newest === undefined) return null;
  const lost = Number(progress.lastStep) - Number(stages.resumedFromStep);
  const rows: readonly (readonly [string, string | undefined, string])[] = [
    ["scheduler recovered", stages.schedulerRecoveredAt, ""],
    [
      "training resumed",
      stages.trainingResumedAt,
      stages.resumedFromStep === undefined
        ? ""
        : `from step ${stages.resumedFromStep}${lost > 0 ? `, ${lost} steps lost` : ""}`,
    ],
    ["training completed", stages.trainingCompletedAt, ""],
  ];
  return (
    <>
      <p>
        <Standing of={adviceWord(newest)} /> {statusRest(newest)}{" "}
        <span className="faint">{printable(newest.reconciliationStatus?.message ?? "")}</span>
      </p>
      {desiredWord(newest) !== "RESTARTED" ? null : (
        <ul className="stages">
          {rows.map(([name, at, more]) => (
            <li key={name} className={at === undefined ? "unseen" : "seen"}>
              <span aria-hidden="true">{at === undefined ? "○" : "●"}</span> {name}{" "}
              {at === undefined ? <span className="faint">not seen</span> : <Ago at={at} />} {more}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
