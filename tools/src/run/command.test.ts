/**
 * Goal    however a program ends, it is known, and nothing of it is left.
 * Method  real small programs.
 */
import { expect, test } from "vitest";
import { runCommand } from "./command.ts";

const node = (script: string, limitMs = 20_000) =>
  runCommand({ run: [process.execPath, "-e", script], limitMs, output: "kept" });

test("gives the code and both outputs", async () => {
  expect(await node("console.log(1); console.error(2); process.exitCode = 3")).toMatchObject({
    code: 3,
    output: "1\n2",
  });
});

test("a program that does not exist has ended with -1 and its name", async () => {
  const { code, output } = await runCommand({ run: ["no-such-program"], limitMs: 1000, output: "kept" });
  expect(code).toBe(-1);
  expect(output).toContain("no-such-program could not be started");
});

test("past its limit it is killed, with the child that shares its output", async () => {
  const forever = `setInterval(() => {}, 1e6)`;
  const script = `require("child_process").spawn(process.execPath, ["-e", "${forever}"], { stdio: "inherit" }); ${forever}`;
  const { code, output } = await node(script, 500); // Ends only when nobody holds the output any more.
  expect(code).toBe(-1);
  expect(output).toContain("did not end within 0.5 s");
});

test("the Node of this checkout comes first", async () => {
  const { output } = await runCommand({ run: ["node", "--version"], limitMs: 5000, output: "kept" });
  expect(Number(output.slice(1).split(".")[0])).toBeGreaterThanOrEqual(22);
});

test("Ctrl-C ends the program and then the tool, before anything else is begun", async () => {
  const child = `setInterval(() => {}, 1e6); process.kill(process.ppid, "SIGINT")`;
  const url = new URL("./command.ts", import.meta.url).href;
  const tool = `const { runCommand } = await import(${JSON.stringify(url)});
    await runCommand({ run: [process.execPath, "-e", ${JSON.stringify(child)}], limitMs: 20000, output: "kept" });
    console.log("went on");`;
  const ended = await runCommand({
    run: [process.execPath, "--input-type=module", "-e", tool],
    limitMs: 20_000,
    output: "kept",
  });
  expect(ended).toMatchObject({ code: 130, output: "" });
});
