/** course-table: what the curve shows, in words: for whoever does not see it, or wants the numbers. */
import { printable } from "../words/printable.ts";
import { dateTime, duration } from "../words/time.ts";
import { type DrawnCourse, sampled, windowText } from "./course-words.ts";

const rowsMax = 24;

export function CourseTable({ course: { points, checkpoints, windows } }: { readonly course: DrawnCourse }) {
  return (
    <>
      {windows.length === 0 ? null : (
        <ul>
          {windows.map((window) => (
            <li key={`${window.kind} ${window.from}`}>
              {windowText(window)} <span className="faint">{printable(window.says)}</span>
            </li>
          ))}
        </ul>
      )}
      <table>
        <thead>
          <tr>
            <th>time</th>
            <th>step</th>
            <th>a step took</th>
            <th>newest checkpoint</th>
          </tr>
        </thead>
        <tbody>
          {sampled(points, rowsMax).map(({ at, step, stepMs }) => (
            <tr key={at}>
              <td>{dateTime(at)}</td>
              <td>{step}</td>
              <td>{stepMs === undefined ? "" : duration(stepMs)}</td>
              <td>{checkpoints.findLast((one) => one.at <= at)?.step ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
