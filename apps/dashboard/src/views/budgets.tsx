/** budgets: what was counted against which bound, before and after the decision. */
import { Fragment, type ReactNode } from "react";
import type { DecisionStoryJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { Part } from "../parts/part.tsx";

/** A name of several words may be broken between them. */
const breakable = (name = ""): ReactNode =>
  name.split("_").map((word, i) => (
    <Fragment key={word}>
      {i === 0 ? "" : "_"}
      {i === 0 ? null : <wbr />}
      {word}
    </Fragment>
  ));

const number = (value: unknown) => (typeof value === "number" ? String(Math.round(value * 100) / 100) : "0");

export function Budgets({ decision: { budgets = [] } }: { readonly decision: DecisionStoryJson }) {
  return (
    <Part title="Budgets" count={budgets.length} open>
      <table>
        <thead>
          <tr>
            <th>bound</th>
            <th>before → after</th>
            <th>allowed</th>
            <th>used</th>
          </tr>
        </thead>
        <tbody>
          {budgets.map(({ bound, spent = 0, before = 0, after = 0, allowed = 0 }) => {
            const isTold = before !== 0 || after !== 0;
            const used = Number(isTold ? after : spent);
            return (
              <tr key={bound} className={used >= Number(allowed) ? "used-up" : undefined}>
                <th scope="row">{breakable(bound)}</th>
                <td>{isTold ? `${number(before)} → ${number(after)}` : number(spent)}</td>
                <td>{number(allowed)}</td>
                <td>
                  <meter
                    min={0}
                    max={Math.max(1, Number(allowed))}
                    value={used}
                    aria-label={`${bound}: ${used} of ${allowed}`}
                  />{" "}
                  {used >= Number(allowed) ? "used up" : ""}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Part>
  );
}
