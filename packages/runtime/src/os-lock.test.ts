/**
 * Goal    one holder at a time, and a holder that is killed leaves no lock behind.
 * Method  this process and real child processes contend for one file.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tryOsLock } from "./os-lock.ts";

function lockFile(): string {
  const dir = mkdtempSync(join(tmpdir(), "reprise-lock-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return join(dir, "lock.db");
}

test("a second caller in the same process is refused until the first has released", () => {
  const path = lockFile();
  const first = tryOsLock(path);
  expect(first).toBeDefined();
  expect(tryOsLock(path)).toBeUndefined();
  first?.release();
  first?.release();
  const second = tryOsLock(path);
  expect(second).toBeDefined();
  second?.release();
});

test("another process holds it until it is killed, and not a moment longer", async () => {
  const path = lockFile();
  const program = `import { tryOsLock } from ${JSON.stringify(new URL("./os-lock.ts", import.meta.url).href)};
    globalThis.lock = tryOsLock(${JSON.stringify(path)}); console.log(lock !== undefined); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  expect(said.toString().trim()).toBe("true");
  expect(tryOsLock(path)).toBeUndefined();

  child.kill("SIGKILL");
  await once(child, "exit");
  const lock = tryOsLock(path);
  expect(lock).toBeDefined();
  lock?.release();
});

test("a folder that is not there is an error, not a lock that somebody else holds", () => {
  expect(() => tryOsLock(join(lockFile(), "..", "missing", "lock.db"))).toThrow(/unable to open/);
});
