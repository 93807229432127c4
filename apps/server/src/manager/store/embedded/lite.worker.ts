/**
 * lite.worker: the thread in which the embedded database lives: in the main thread it would starve every timer.
 *
 * Takes   a folder as `workerData`, then questions one after the other.
 * Gives   `ready` or `failed`; then one answer a question.
 */
import { parentPort, workerData } from "node:worker_threads";
import { openLite } from "./open-lite.ts";
import type { Answer, Failure, Question } from "./worker-client.ts";

const port = parentPort;
if (port === null) throw new Error("lite.worker: expected to run in a worker thread");
const say = (answer: Answer) => port.postMessage(answer);

try {
  const lite = await openLite(workerData as string);
  say({ kind: "ready", fsyncsProven: lite.fsyncsProven });
  port.on("message", (question: Question) => {
    if (question.kind === "end") return void lite.end().then(() => port.close());
    const { id, sql, parameters } = question;
    lite.query(sql, parameters).then(
      ({ rows, command, rowCount }) => say({ kind: "rows", id, rows, command, rowCount }),
      (error: unknown) => say({ kind: "error", id, failure: failureOf(error) }),
    );
  });
} catch (error) {
  say({ kind: "failed", failure: failureOf(error) });
  port.close();
}

/** What crosses the thread: the fields of the driver's error that somebody may ask for. */
function failureOf(error: unknown): Failure {
  const { message, code, detail, constraint, table } = error as Record<string, string | undefined>;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  return {
    message: text(message) ?? String(error),
    code: text(code),
    detail: text(detail),
    constraint: text(constraint),
    table: text(table),
  };
}
