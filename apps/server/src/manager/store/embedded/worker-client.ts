/**
 * worker-client: the session of the embedded database, asked from the main thread.
 *
 * Keeps   an SQL error comes back with its code; the death of the worker fails what waits and everything after it, and hides nothing.
 */
import { Worker } from "node:worker_threads";
import type { QueryClient, QueryResult } from "./query-client.ts";

export type Question =
  | { readonly kind: "query"; readonly id: number; readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly kind: "end" };

export interface Failure {
  readonly message: string;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
}

export type Answer =
  | { readonly kind: "ready"; readonly fsyncsProven: number }
  | { readonly kind: "failed"; readonly failure: Failure }
  | ({ readonly kind: "rows"; readonly id: number } & QueryResult)
  | { readonly kind: "error"; readonly id: number; readonly failure: Failure };

/** An error of the database, as the driver would have thrown it. */
export class DatabaseError extends Error {
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  constructor({ message, code, detail, constraint, table }: Failure) {
    super(message);
    this.name = "DatabaseError";
    this.code = code;
    this.detail = detail;
    this.constraint = constraint;
    this.table = table;
  }
}

export interface WorkerClient extends QueryClient {
  readonly fsyncsProven: number;
}

export async function openWorkerClient(folder: string): Promise<WorkerClient> {
  const worker = new Worker(new URL("./lite.worker.ts", import.meta.url), { workerData: folder });
  const waiting = new Map<number, PromiseWithResolvers<QueryResult>>();
  const opened = Promise.withResolvers<number>();
  const exited = Promise.withResolvers<void>();
  let death: Error | undefined;
  let nextId = 0;

  const die = (error: Error) => {
    death ??= error;
    opened.reject(death);
    for (const { reject } of waiting.values()) reject(death);
    waiting.clear();
  };
  worker.on("message", (answer: Answer) => {
    if (answer.kind === "ready") return opened.resolve(answer.fsyncsProven);
    if (answer.kind === "failed") return opened.reject(new DatabaseError(answer.failure));
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.kind === "error") asked?.reject(new DatabaseError(answer.failure));
    else asked?.resolve({ rows: answer.rows, command: answer.command, rowCount: answer.rowCount });
  });
  worker.on("error", (cause) => die(new Error("the thread of the embedded database failed", { cause })));
  worker.on("exit", (code) => {
    die(new Error(`the thread of the embedded database has ended (code ${code})`));
    exited.resolve();
  });

  // oxlint-disable-next-line unicorn/require-post-message-target-origin, because a thread has no origin
  const ask = (question: Question) => worker.postMessage(question);
  const fsyncsProven = await opened.promise;
  return {
    fsyncsProven,
    query(sql, parameters) {
      if (death !== undefined) return Promise.reject(death);
      const id = nextId++;
      const asked = Promise.withResolvers<QueryResult>();
      waiting.set(id, asked);
      ask({ kind: "query", id, sql, parameters });
      return asked.promise;
    },
    end() {
      if (death === undefined) ask({ kind: "end" });
      return exited.promise;
    },
  };
}
