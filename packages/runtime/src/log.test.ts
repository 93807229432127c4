/**
 * Goal    a line holds what was said and never a secret, and errors keep their message, code and cause.
 * Method  a log that writes into a list; secrets in every place where one was ever met.
 */
import { expect, test } from "vitest";
import { createLog, type LogLevel } from "./log.ts";

function logTo(options: { level?: LogLevel; isPretty?: boolean } = {}) {
  const lines: string[] = [];
  const log = createLog({ name: "sac", level: "info", isPretty: false, ...options, write: (line) => lines.push(line) });
  return { log, lines };
}

test("a line is one JSON object with name, level, time, fields and message", () => {
  const { log, lines } = logTo();
  log.info({ jobId: "123" }, "released");
  expect(lines).toHaveLength(1);
  const { time, ...rest } = JSON.parse(lines[0] ?? "");
  expect(rest).toEqual({ name: "sac", level: "info", jobId: "123", msg: "released" });
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

test("levels below the chosen one say nothing", () => {
  const { log, lines } = logTo({ level: "warn" });
  log.debug({}, "a");
  log.info({}, "b");
  log.warn({}, "c");
  log.error({}, "d");
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["c", "d"]);
});

test.each([
  ["a key that names a secret", { token: "tok-12345678" }],
  ["a nested one", { request: { headers: { authorization: "Bearer tok-12345678" } } }],
  ["a list", { all: [{ password: "tok-12345678" }] }],
  ["a database URL in a text", { url: "postgres://reprise:tok-12345678@db/x" }],
  ["a header in a text", { line: "authorization: Bearer tok-12345678" }],
  ["an error's message and stack", { error: new Error("connect postgres://reprise:tok-12345678@db failed") }],
  ["an error's cause", { error: new Error("x", { cause: new Error("Bearer tok-12345678") }) }],
])("a secret in %s is hidden, in both forms", (_where, fields) => {
  for (const isPretty of [false, true]) {
    const { log, lines } = logTo({ isPretty });
    log.error(fields, "failed");
    expect(lines.join("")).toContain("***");
    expect(lines.join("")).not.toContain("tok-12345678");
  }
});

test("a path to a token file is shown", () => {
  const { log, lines } = logTo();
  log.info({ tokenFile: "/data/token" }, "ready");
  expect(JSON.parse(lines[0] ?? "").tokenFile).toBe("/data/token");
});

test("an error keeps its message, code and cause", () => {
  const { log, lines } = logTo();
  const error = Object.assign(new Error("outer", { cause: new Error("inner") }), { code: "E1" });
  log.error({ error }, "failed");
  expect(JSON.parse(lines[0] ?? "").error).toMatchObject({
    type: "Error",
    message: "outer",
    code: "E1",
    cause: { message: "inner" },
  });
});

test("a value that contains itself ends at a bound", () => {
  const { log, lines } = logTo();
  const knot: Record<string, unknown> = {};
  knot["self"] = knot;
  log.info({ knot }, "tied");
  expect(lines).toHaveLength(1);
});

test("the readable form is one line with its fields behind it", () => {
  const { log, lines } = logTo({ isPretty: true });
  log.warn({ part: "server", exit: "exit code 1", error: new Error("gone away") }, "a part ended");
  expect(lines[0]).toMatch(
    /^\d\d:\d\d:\d\d warn {2}sac {6}a part ended part=server exit="exit code 1" error="gone away"\n$/,
  );
});
