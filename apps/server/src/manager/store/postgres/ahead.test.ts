/**
 * Goal    what is sent ahead is not waited for, and its failure is never lost.
 * Method  a client whose answers the test gives, one by one, in the order in which it was asked.
 */
import type { PostgresPool } from "kysely";
import { expect, test } from "vitest";
import { sendingAhead } from "./ahead.ts";

async function world() {
  const asked: { readonly text: string; readonly answer: PromiseWithResolvers<unknown> }[] = [];
  const client = {
    query(text: string) {
      const answer = Promise.withResolvers<unknown>();
      asked.push({ text, answer });
      return answer.promise;
    },
    release: () => undefined,
  };
  const pool = { options: {}, connect: () => Promise.resolve(client), end: () => Promise.resolve() };
  const session = await sendingAhead(pool as unknown as PostgresPool).connect();
  const result = { command: "SELECT", rowCount: 0, rows: [] };
  return {
    ask: (text: string) => session.query(text, []),
    asked: () => asked.map(({ text }) => text),
    answerAll: () => asked.splice(0).forEach(({ answer }) => answer.resolve(result)),
    fail: (n: number, error: Error) => asked.splice(n, 1)[0]?.answer.reject(error),
  };
}

test("a begin and a marked statement go out before anything was answered; the next one waits for them", async () => {
  const { ask, asked, answerAll } = await world();
  await ask("begin");
  await ask("/* ahead */ insert");
  const read = ask("select");
  expect(asked()).toEqual(["begin", "/* ahead */ insert", "select"]);
  answerAll();
  await expect(read).resolves.toMatchObject({ rows: [] });
});

test("the commit fails with the error of what was sent ahead, not with what followed from it", async () => {
  const { ask, fail, answerAll } = await world();
  await ask("begin");
  await ask("/* ahead */ insert");
  const commit = ask("commit");
  fail(1, new Error("duplicate key"));
  answerAll();
  await expect(commit).rejects.toThrow("duplicate key");
});

test("a rollback says nothing of it: whoever rolls back has his reason", async () => {
  const { ask, fail, answerAll } = await world();
  await ask("begin");
  await ask("/* ahead */ insert");
  const rollback = ask("rollback");
  fail(1, new Error("duplicate key"));
  answerAll();
  await expect(rollback).resolves.toBeDefined();
});

test("outside of a transaction nothing would wait for it: it is waited for at once", async () => {
  const { ask, fail } = await world();
  const alone = ask("/* ahead */ insert");
  fail(0, new Error("duplicate key"));
  await expect(alone).rejects.toThrow("duplicate key");
});
