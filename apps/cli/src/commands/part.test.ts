/**
 * Goal    a part takes its configuration from `up`, leaves Ctrl-C to it, and ends when `up` is gone, however it went; alone it
 *         ends on SIGTERM.
 * Method  the real watcher in real processes, with a server that is not there: it goes on trying. A small program stands for
 *         `up`, so that it can be killed.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const runtime = new URL("../../../../packages/runtime/src/", import.meta.url).href;
const watcherConfig = { server: "127.0.0.1:1", watcherId: "w", signatureDirs: [], targetsMax: 1 };

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "reprise-part-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Each line of a part's log, until one has these words. */
async function untilSaid(lines: AsyncIterator<string>, words: string): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`it ended without saying: ${words}`);
    if (value.includes(words)) return;
  }
}

test("a part whose `up` was killed ends by itself", { timeout: 20_000 }, async () => {
  const dir = folder();
  const up = join(dir, "up.mjs");
  writeFileSync(
    up,
    `import { startChild } from ${JSON.stringify(`${runtime}processes.ts`)};
     import { systemClock } from ${JSON.stringify(`${runtime}clock.ts`)};
     const firstMessage = { config: ${JSON.stringify(watcherConfig)}, logLevel: "info", isPretty: false };
     const child = startChild({ name: "watcher", file: ${JSON.stringify(main)}, args: ["watcher", "--under-up"], firstMessage,
       group: { kind: "shared" } }, systemClock);
     console.log(child.pid);`,
  );
  const parent = spawn(process.execPath, [up], { stdio: ["ignore", "pipe", "pipe"] });
  const [first] = (await once(createInterface({ input: parent.stdout }), "line")) as [string];
  const pid = Number(first);
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
  const said = createInterface({ input: parent.stderr })[Symbol.asyncIterator]();
  await untilSaid(said, '"name":"watcher"');
  process.kill(pid, "SIGINT"); // As Ctrl-C in the terminal would: it is left to `up`.
  parent.kill("SIGKILL");
  await untilSaid(said, "`reprise up` has ended");
  await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
});

test("a part alone ends on SIGTERM with exit code 0", { timeout: 20_000 }, async () => {
  const child = spawn(process.execPath, [main, "watcher", "--insecure", "--server", "127.0.0.1:1"], {
    cwd: folder(),
    stdio: ["ignore", "inherit", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await untilSaid(createInterface({ input: child.stderr })[Symbol.asyncIterator](), '"name":"watcher"');
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
});
