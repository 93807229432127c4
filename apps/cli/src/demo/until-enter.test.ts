/** Goal  the demo stays for as long as somebody looks at it, and no longer: not where nobody can press Enter. */
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { untilEnter } from "./until-enter.ts";

const forEver = new AbortController().signal;

test("Enter ends it, and nothing before it does", async () => {
  const input = new PassThrough();
  let isOver = false;
  const waited = untilEnter(input, forEver).then(() => (isOver = true));
  input.write("no");
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  input.write("\n");
  await waited;
});

test("so does the end of the input, now or before, and the end of the program", async () => {
  const input = new PassThrough();
  const waited = untilEnter(input, forEver);
  input.end();
  await waited;
  await untilEnter(input, forEver);
  const end = new AbortController();
  const aborted = untilEnter(new PassThrough(), end.signal);
  end.abort();
  await aborted;
  await untilEnter(new PassThrough(), end.signal);
});
