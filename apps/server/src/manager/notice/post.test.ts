/**
 * Goal    a webhook reaches whom the site means and nobody else: no address inside that was not named, by no name, no change of mind
 *         between look and call, no redirect, and no plain text into the open.
 * Method  a receiver on loopback that counts its calls; names are resolved by the test.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { reachOf } from "./allowed-address.ts";
import { post, type Resolve } from "./post.ts";

async function receiver(status = 204, headers: Readonly<Record<string, string>> = {}) {
  const bodies: string[] = [];
  const server = createServer((request, answer) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      bodies.push(`${request.headers.host} ${body}`);
      answer.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, bodies };
}

const call = (url: string) => ({ url: new URL(url), headers: {}, body: "{}", limitMs: 5_000 });
const loopback = reachOf(["127.0.0.0/8"]);
/** Gives the next list of addresses each time it is asked. */
function resolving(...answers: readonly string[][]) {
  const count = { asked: 0 };
  const resolve: Resolve = (_host, found) => {
    const list = answers[Math.min(count.asked++, answers.length - 1)] ?? [];
    found(
      null,
      list.map((address) => ({ address, family: 4 })),
    );
  };
  return { resolve, count };
}

test("what is taken is taken, with the host that was named", async () => {
  const { port, bodies } = await receiver();
  expect(await post(call(`http://hook.test:${port}/x`), loopback, resolving(["127.0.0.1"]).resolve)).toBeUndefined();
  expect(bodies).toEqual([`hook.test:${port} {}`]);
});

test("an address that is not public is not called, whether it is written, hidden in another notation, or behind a name", async () => {
  const { port, bodies } = await receiver();
  const nobody = reachOf([]);
  for (const host of [
    "127.0.0.1",
    "0x7f.1",
    "2130706433",
    "[::ffff:127.0.0.1]",
    "[::1]",
    "[64:ff9b::7f00:1]",
    "10.1.2.3",
  ])
    expect(await post(call(`http://${host}:${port}/`), nobody), host).toMatch(
      /not public: expected it in notify_allow/,
    );
  for (const address of ["127.0.0.1", "169.254.169.254", "192.168.1.1", "100.64.0.1"])
    expect(await post(call(`https://hook.test:${port}/`), nobody, resolving([address]).resolve), address).toMatch(
      /not public/,
    );
  expect(bodies).toEqual([]);
});

test("a name of which one address is inside is refused whole", async () => {
  const { port, bodies } = await receiver();
  const both = resolving(["93.184.216.34", "127.0.0.1"]).resolve;
  expect(await post(call(`https://hook.test:${port}/`), reachOf([]), both)).toMatch(/127.0.0.1, which is not public/);
  expect(bodies).toEqual([]);
});

test("a name is resolved once, and what it says afterwards changes nothing", async () => {
  const { port, bodies } = await receiver();
  const rebinding = resolving(["127.0.0.1"], ["10.0.0.1"]);
  expect(await post(call(`http://hook.test:${port}/`), loopback, rebinding.resolve)).toBeUndefined();
  expect([rebinding.count.asked, bodies.length]).toEqual([1, 1]);
});

test("nothing goes without TLS to whom the site has not named", async () => {
  expect(await post(call("http://93.184.216.34/"), reachOf([]))).toMatch(/without TLS: expected https/);
  expect(await post(call("http://hook.test/"), reachOf([]), resolving(["93.184.216.34"]).resolve)).toMatch(
    /without TLS/,
  );
});

test("a redirect is not followed, and a refusal says its status and no secret of the URL", async () => {
  const second = await receiver();
  const first = await receiver(302, { location: `http://127.0.0.1:${second.port}/` });
  const away = await post(call(`http://127.0.0.1:${first.port}/secret`), loopback);
  expect(away).toBe("127.0.0.1 answers 302: redirects are not followed");
  expect(second.bodies).toEqual([]);
  const broken = await receiver(503);
  expect(await post(call(`http://127.0.0.1:${broken.port}/secret`), loopback)).toBe(
    "127.0.0.1 answers 503, expected 2xx",
  );
});

test("nobody there is a reason, too", async () => {
  expect(await post(call("http://hook.test:1/secret"), loopback, resolving(["127.0.0.1"]).resolve)).toMatch(
    /^hook.test: .*ECONNREFUSED/,
  );
  expect(await post(call("http://hook.test:1/"), loopback, resolving([]).resolve)).toMatch(/has no address/);
});
