/**
 * unseen: `make sim-teeth-unseen`: that each planted bug compiles, and that the unit tests of the product which know the planted files pass
 * with it: what they see needs no world to find it.
 *
 * Takes   TOOTH in the environment: only that one.
 * Gives   a line for each bug that does not compile, or that they see, with the first test that does. Exit code 1 then.
 * Bound   a minute of CPU for a bug, most of it the compiler's.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { plantedBy, root } from "./plant.ts";
import { teeth } from "./teeth.ts";

const run = promisify(execFile);
const bin = `${root}node_modules/.bin/`;
const parts = ["packages", "apps", "tsconfig.json", "package.json"];

/** A copy of the sources, whose packages are its own. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), "reprise-teeth-"));
  for (const part of parts) cpSync(root + part, join(folder, part), { recursive: true });
  symlinkSync(`${root}node_modules`, join(folder, "node_modules"));
  const own = (names: readonly string[], of: string) =>
    names.map((name) => [`@reprise/${name}/*`, [`./${of}/${name}/src/*`]] as const);
  const paths = Object.fromEntries([
    ...own(["core", "protocol", "runtime", "slurm-lab"], "packages"),
    ...own(["server", "watcher", "sac", "cli"], "apps"),
  ]);
  const include = ["packages/*/src/**/*.ts", "apps/*/src/**/*.ts"];
  writeFileSync(
    join(folder, "tsconfig.teeth.json"),
    JSON.stringify({ extends: "./tsconfig.json", compilerOptions: { paths }, include }),
  );
  return folder;
}

/** @returns The compiler's first words. Undefined: it compiles. */
async function compile(folder: string, name: string): Promise<string | undefined> {
  const planted = plantedBy(name);
  for (const [file, text] of planted) writeFileSync(join(folder, file.slice(root.length)), text);
  const answer = await said(run(`${bin}tsc`, ["--noEmit", "-p", "tsconfig.teeth.json"], { cwd: folder }));
  for (const file of planted.keys()) cpSync(file, join(folder, file.slice(root.length)));
  return answer?.split("\n", 1)[0];
}

/** @returns The first test that fails. Undefined: none does. */
async function test(name: string): Promise<string | undefined> {
  const files = [...plantedBy(name).keys()];
  const args = ["related", "--run", "--config", `${root}sim/teeth/vitest.config.ts`, "--bail", "1", ...files];
  const answer = await said(
    run(`${bin}vitest`, args, { cwd: root, env: { ...process.env, TOOTH: name, NO_COLOR: "1" } }),
  );
  return answer && (answer.split("\n").find((line) => line.includes("FAIL")) ?? answer).trim();
}

/** Of a program that failed: what it printed. @throws When it could not be run: that says nothing of the bug. */
async function said(running: Promise<unknown>): Promise<string | undefined> {
  try {
    await running;
    return undefined;
  } catch (error) {
    const {
      code,
      stdout = "",
      stderr = "",
    } = error as {
      readonly code?: unknown;
      readonly stdout?: string;
      readonly stderr?: string;
    };
    if (typeof code !== "number") throw error;
    return stdout + stderr || String(error);
  }
}

const { TOOTH } = process.env;
const names = TOOTH === undefined || TOOTH === "" ? teeth.map(({ name }) => name) : [TOOTH];
const folder = copyTree();
let seen = 0;
try {
  for (const name of names) {
    const why = (await compile(folder, name)) ?? (await test(name));
    if (why !== undefined) seen++;
    console.log(why === undefined ? `unseen  ${name}` : `SEEN    ${name}: ${why}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${names.length - seen} of ${names.length} planted bugs compile, and no unit test sees them`);
if (seen > 0) process.exitCode = 1;
