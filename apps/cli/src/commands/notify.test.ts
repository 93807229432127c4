/**
 * Goal    `notify test` says of each webhook whether it takes what it is told, and the receiver can check who told it.
 * Method  the command with a fake console; a receiver on loopback.
 */
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { fakeConsole } from "../testing/fake-console.ts";
import { define } from "./notify.ts";

async function receiver(status: number) {
  const calls: { body: string; signature: string }[] = [];
  const server = createServer((request, answer) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      calls.push({ body, signature: String(request.headers["reprise-signature"]) });
      answer.writeHead(status).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, calls };
}

async function run(notify: object, args: readonly string[] = []) {
  const dir = mkdtempSync(join(tmpdir(), "reprise-notify-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "key"), "topsecret\n");
  const console = fakeConsole({ REPRISE_NOTIFY: JSON.stringify(notify) }, dir);
  const command = new Command("notify").exitOverride();
  define(command, console);
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await command.parseAsync(["test", ...args], { from: "user" });
    return { out: console.outText(), code: process.exitCode ?? 0 };
  } finally {
    process.exitCode = before;
  }
}

test("each receiver is tried; the signature is made with the key in its file", async () => {
  const [good, bad] = [await receiver(200), await receiver(500)];
  const notify = { good: { url: good.url, secret_file: "key" }, bad: { url: bad.url, form: "slack" } };
  const { out, code } = await run(notify, ["--notify-allow", "127.0.0.1"]);
  expect(out).toBe("good: taken\nbad: not taken: 127.0.0.1 answers 500, expected 2xx\n");
  expect(code).toBe(1);
  const { body = "", signature = "" } = good.calls[0] ?? {};
  const seconds = /^t=(\d+),/.exec(signature)?.[1];
  expect(signature).toBe(
    `t=${seconds},v1=${createHmac("sha256", "topsecret").update(`${seconds}.${body}`).digest("hex")}`,
  );
  expect(JSON.parse(body)).toMatchObject({
    version: 1,
    notices: [{ says: expect.stringContaining("test") as string }],
  });
  expect(JSON.parse(bad.calls[0]?.body ?? "{}")).toHaveProperty("text");
});

test("one receiver can be named; what is not there, or not allowed, is said", async () => {
  const { url, calls } = await receiver(200);
  const notify = { a: { url }, b: { url } };
  const { out, code } = await run(notify, ["b"]);
  expect(out).toMatch(/^b: not taken: 127.0.0.1 is at 127.0.0.1, which is not public/);
  expect([code, calls]).toEqual([1, []]);
  await expect(run(notify, ["c"])).rejects.toThrow('there is no receiver "c" under notify');
  await expect(run({})).rejects.toThrow("`notify` has no receiver");
});
