/**
 * Goal    labs side by side never get the same port.
 * Method  real claims, several at once, on loopback's own ports.
 */
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { claimPorts } from "./ports.ts";

test("claims made at the same time get blocks of their own", async () => {
  const claims = await Promise.all(Array.from({ length: 6 }, () => claimPorts(5)));
  const bases = claims.map(({ base }) => base).sort((a, b) => a - b);
  claims.forEach((claim) => claim.release());
  expect(bases.every((base, i) => i === 0 || base - (bases[i - 1] ?? 0) >= 64)).toBe(true);
});

test("a block with one port in use is passed over whole", async () => {
  const first = await claimPorts(5);
  first.release();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(first.base + 40, "127.0.0.1", resolve));
  const second = await claimPorts(5);
  second.release();
  await new Promise((closed) => taken.close(closed));
  expect(second.base).toBeGreaterThan(first.base);
});

test("wanted ports that are in use are refused", async () => {
  const held = await claimPorts(5);
  await expect(claimPorts(5, held.base)).rejects.toThrow(`of the ports ${held.base} to ${held.base + 4} one is in use`);
  held.release();
});
