/**
 * Goal    a token is made, shown once and alone on stdout, listed and revoked by the command; what was asked wrongly is said.
 * Method  the command as `main.ts` makes it; HTTP on a loopback port, answered by the test as the server would.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { fakeConsole } from "../testing/fake-console.ts";
import { define } from "./token.ts";

const record = { id: "0123456789ab", name: "ci", roles: ["viewer"], createdAt: "2030-01-31T14:00:00Z" };

async function world(answer: (path: string, body: string) => readonly [number, object]) {
  const asked: { method: string; path: string; body: string; authorization: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const [path, body] = [request.url ?? "", Buffer.concat(chunks).toString()];
      asked.push({ method: request.method ?? "", path, body, authorization: request.headers.authorization ?? "" });
      const [status, said] = answer(path, body);
      response.writeHead(status).end(JSON.stringify(said));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const dir = mkdtempSync(join(tmpdir(), "reprise-token-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "token"), "the-owners-own-token\n", { mode: 0o600 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { REPRISE_DATA: dir, REPRISE_INTERNAL_URL: url, REPRISE_URL: "http://127.0.0.1:1" };
  const run = async (...args: readonly string[]) => {
    const console = fakeConsole(env);
    const command = new Command("token").exitOverride().configureOutput({ writeErr: () => {} });
    define(command, console);
    for (const sub of command.commands) sub.configureOutput({ writeErr: () => {} });
    await command.parseAsync(args, { from: "user" });
    return { out: console.outText(), err: console.errText() };
  };
  return { asked, run };
}

test("create prints the token alone, and what is to be known of it beside", async () => {
  const { asked, run } = await world(() => [
    200,
    { record: { ...record, expiresAt: "2030-05-01T14:10:00Z" }, token: "reprise_x_y" },
  ]);
  const { out, err } = await run("create", "--name", "ci", "--role", "viewer,watcher", "--expires", "90d");
  expect(out).toBe("reprise_x_y\n");
  expect(err).toContain("Token 0123456789ab for ci: viewer, watcher; until 2030-05-01T14:10:00Z.");
  expect(err).not.toContain("reprise_x_y");
  expect(asked).toEqual([
    {
      method: "POST",
      path: "/reprise/v1/tokens",
      body: '{"name":"ci","roles":["viewer","watcher"],"expiresAt":"2030-05-01T14:10:00.000Z"}',
      authorization: "Bearer the-owners-own-token",
    },
  ]);
});

test("list shows what each token is, and its end", async () => {
  const tokens = [
    record,
    { ...record, id: "a1", name: "sac", roles: ["controller"], expiresAt: "2030-01-31T14:05:00Z" },
    { ...record, id: "b2", name: "old", roles: ["operator"], revokedAt: "2030-01-31T14:01:00Z" },
  ];
  const { run } = await world(() => [200, { tokens }]);
  const [head = "", ...rows] = (await run("list")).out.trimEnd().split("\n");
  expect(head.split(/ +/)).toEqual(["ID", "NAME", "ROLES", "AGE", "STATE"]);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
    ["0123456789ab", "ci", "viewer", "10 min", "valid"],
    ["a1", "sac", "controller", "10 min", "expired 2030-01-31 14:05:00"],
    ["b2", "old", "operator", "10 min", "revoked 2030-01-31 14:01:00"],
  ]);
});

test("revoke names the token, and one that nobody made is said as such", async () => {
  const { asked, run } = await world((path) =>
    path.includes("nobody") ? [404, { code: 5, message: 'token "nobody" is not known' }] : [200, { record }],
  );
  expect((await run("revoke", "0123456789ab")).out).toContain("Token 0123456789ab (ci) is revoked");
  expect(asked[0]).toMatchObject({ method: "POST", path: "/reprise/v1/tokens/0123456789ab:revoke", body: "{}" });
  await expect(run("revoke", "nobody")).rejects.toThrow('token "nobody" is not known');
});

test.each([
  ["a role that there is not", ["create", "--name", "ci", "--role", "admin"]],
  ["a time without its unit", ["create", "--name", "ci", "--role", "viewer", "--expires", "90"]],
  ["no role", ["create", "--name", "ci"]],
])("%s is refused before anything is asked", async (_what, args) => {
  const { asked, run } = await world(() => [200, {}]);
  await expect(run(...args)).rejects.toThrow();
  expect(asked).toEqual([]);
});
