/**
 * Goal    the shipped script wakes SAC, never fails, and writes nowhere else.
 * Method  the script itself, run as slurmctld runs it: by its path, with next to no environment.
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { watchWake } from "./wake.ts";

const shipped = fileURLToPath(new URL("../../jobcomp/reprise-jobcomp", import.meta.url));
const made: string[] = [];
const folder = () => {
  const dir = mkdtempSync(join(tmpdir(), "wake-"));
  made.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});
const lost = (why: string) => expect.unreachable(why);

/** In slurmctld's own configuration folder, beside it the link to SAC's wake file. */
function installed(wakeFile: string) {
  const dir = folder();
  const script = join(dir, "reprise-jobcomp");
  copyFileSync(shipped, script);
  symlinkSync(wakeFile, `${script}.wake`);
  return { dir, jobEnded: () => spawnSync(script, [], { env: { JOBID: "7", JOBSTATE: "FAILED" } }).status };
}

test("the end of a job wakes SAC, again and again, also after the file was removed", async () => {
  const file = join(folder(), "wake");
  for (const removed of [false, false, true]) {
    if (removed) rmSync(file);
    const woken = Promise.withResolvers<void>();
    const wake = watchWake(file, woken.resolve, lost);
    expect(installed(file).jobEnded()).toBe(0);
    await woken.promise;
    wake.close();
  }
  expect(statSync(file).mode & 0o777).toBe(0o622);
});

test("what else happens in the folder wakes nobody", async () => {
  const dir = folder();
  const woken = Promise.withResolvers<void>();
  let wakes = 0;
  const wake = watchWake(join(dir, "wake"), () => (wakes++, woken.resolve()), lost);
  spawnSync("sh", ["-c", `echo x >${dir}/journal; echo x >${dir}/wake`]);
  await woken.promise;
  wake.close();
  expect(readFileSync(join(dir, "wake"), "utf8")).toBe("x\n");
  expect(wakes).toBeLessThanOrEqual(2); // the truncation and the write
});

test("without a SAC the script creates nothing and does not fail", () => {
  const gone = join(folder(), "nobody", "wake");
  const { dir, jobEnded } = installed(gone);
  expect(jobEnded()).toBe(0);
  expect(existsSync(gone)).toBe(false);
  expect(readdirSync(dir).sort()).toEqual(["reprise-jobcomp", "reprise-jobcomp.wake"]);
});

test("a folder that cannot be watched is told once, and nothing is thrown", () => {
  const said: string[] = [];
  watchWake(
    join(folder(), "gone", "wake"),
    () => expect.unreachable("woken"),
    (why) => said.push(why),
  ).close();
  expect(said).toEqual([expect.stringContaining("ENOENT")]);
});
