/**
 * Goal    the first signal ends the life, a second one later ends the process, and an error that nobody caught is said.
 * Method  a real process: signals cannot be tried on the one that runs the tests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test, vi } from "vitest";

vi.setConfig({ testTimeout: 30_000 }); // Processes take their time on a busy machine.

const runtime = new URL(".", import.meta.url).href;

function program(body: string) {
  const source = `
    import { createLog } from "${runtime}log.ts";
    import { processLife } from "${runtime}life.ts";
    const log = createLog({ name: "test", level: "info", isPretty: false, write: (line) => process.stdout.write(line) });
    ${body}`;
  const child: ChildProcess = spawn(process.execPath, ["--input-type=module-typescript", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout === null) throw new Error("the child has no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, line: async () => (await lines.next()).value, ended: once(child, "exit") };
}

test("a signal ends the life; the program ends in its own time", async () => {
  const { child, line, ended } = program(`
    const life = processLife(log);
    life.signal.addEventListener("abort", () => { console.log("aborted"); process.exit(0); });
    setInterval(() => {}, 1000);
    console.log("up");`);
  expect(await line()).toBe("up");
  child.kill("SIGTERM");
  expect(JSON.parse((await line()) ?? "")).toMatchObject({ msg: "stopping", why: "SIGTERM" });
  expect(await line()).toBe("aborted");
  expect(await ended).toEqual([0, null]);
});

test("an ignored signal changes nothing", async () => {
  const { child, line, ended } = program(`
    processLife(log, { stopOn: ["SIGTERM"], ignore: ["SIGINT"] }).signal.addEventListener("abort", () => process.exit(5));
    process.on("SIGINT", () => console.log("seen"));
    setInterval(() => {}, 1000);
    console.log("up");`);
  await line();
  child.kill("SIGINT");
  expect(await line()).toBe("seen");
  child.kill("SIGTERM");
  expect(await ended).toEqual([5, null]);
});

test("an error that nobody caught is logged and ends the process with code 70", async () => {
  const { line, ended } = program(`processLife(log); setImmediate(() => { throw new Error("boo"); });`);
  expect(JSON.parse((await line()) ?? "")).toMatchObject({ level: "error", error: { message: "boo" } });
  expect(await ended).toEqual([70, null]);
});
