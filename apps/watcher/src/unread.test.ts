/** Goal: a log that cannot be read whole is told once, and once when it can. Method: what is asked of it, and what the log has. */
import { expect, test } from "vitest";
import { Unread } from "./unread.ts";

test("is told when it begins, when it changes, and when it is over; other numbers are no change", () => {
  const told: string[] = [];
  const say = (level: string) => (fields: object) =>
    void told.push(`${level} ${(fields as { why?: string }).why ?? "whole"}`);
  const silent = () => undefined;
  const unread = new Unread({ debug: silent, error: silent, info: say("info"), warn: say("warn") }, { job: "1" });
  for (const why of [undefined, "sampled: 92 MiB", "sampled: 95 MiB", "EACCES", undefined, undefined])
    unread.is("/l", why);
  expect(told).toEqual(["warn sampled: 92 MiB", "warn EACCES", "info whole"]);
});
