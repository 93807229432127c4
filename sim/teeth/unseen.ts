/**
 * unseen: `make sim-teeth-unseen`: that each planted bug compiles, and that the unit tests of the product which know the planted files pass
 * with it: what they see needs no world to find it.
 *
 * Takes   TOOTH in the environment: only that one.
 * Gives   a line for each bug; where it does not compile, or where they see it, with the first test that does. Exit code 1 then.
 * Method  all that can be planted together are, and only what is seen is looked at in halves: nobody who sees one of them is silenced by
 *         the others, but for two that undo each other.
 * Bound   a minute of CPU for a batch; one more for each halving.
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
async function compile(folder: string, names: readonly string[]): Promise<string | undefined> {
  const planted = plantedBy(...names);
  for (const [file, text] of planted) writeFileSync(join(folder, file.slice(root.length)), text);
  const answer = await said(run(`${bin}tsc`, ["--noEmit", "-p", "tsconfig.teeth.json"], { cwd: folder }));
  for (const file of planted.keys()) cpSync(file, join(folder, file.slice(root.length)));
  return answer?.split("\n", 1)[0];
}

/** @returns The first test that fails. Undefined: none does. */
async function test(names: readonly string[]): Promise<string | undefined> {
  const files = [...plantedBy(...names).keys()];
  const args = ["related", "--run", "--config", `${root}sim/teeth/vitest.config.ts`, "--bail", "1", ...files];
  const answer = await said(
    run(`${bin}vitest`, args, { cwd: root, env: { ...process.env, TOOTH: names.join(","), NO_COLOR: "1" } }),
  );
  return answer && (answer.split("\n").find((line) => /^\s*FAIL /.test(line)) ?? answer).trim();
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

/** As few as possible: those that change the same text cannot be planted together. */
function batchesOf(names: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  for (const name of names) {
    plantedBy(name); // Throws here when it cannot be planted at all.
    const batch = batches.find((others) => canBePlanted([...others, name]));
    if (batch === undefined) batches.push([name]);
    else batch.push(name);
  }
  return batches;
}

function canBePlanted(names: readonly string[]): boolean {
  try {
    plantedBy(...names);
    return true;
  } catch {
    return false;
  }
}

/** Whom something sees, by halving: most batches are seen by nothing. @returns How many. */
async function tell(folder: string, names: readonly string[]): Promise<number> {
  const why = (await compile(folder, names)) ?? (await test(names));
  if (why === undefined) for (const name of names) console.log(`unseen  ${name}`);
  else if (names.length === 1) console.log(`SEEN    ${names[0]}: ${why}`);
  else {
    const half = Math.ceil(names.length / 2);
    return (await tell(folder, names.slice(0, half))) + (await tell(folder, names.slice(half)));
  }
  return why === undefined ? 0 : 1;
}

const { TOOTH = "" } = process.env;
const names = teeth.map(({ name }) => name).filter((name) => TOOTH === "" || name === TOOTH);
if (names.length === 0) throw new Error(`TOOTH is ${TOOTH}, expected one of ${teeth.map((t) => t.name).join(", ")}`);
const folder = copyTree();
let seen = 0;
try {
  for (const batch of batchesOf(names)) seen += await tell(folder, batch);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${names.length - seen} of ${names.length} planted bugs compile, and no unit test sees them`);
if (seen > 0) process.exitCode = 1;
