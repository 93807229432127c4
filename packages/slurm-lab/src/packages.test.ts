/**
 * Goal    a machine without Slurm is told exactly what it needs.
 * Method  folders of this test's own in the place of PATH.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { accountingPackages, installCommand, missingPackages } from "./packages.ts";

function folderWith(...programs: string[]): string {
  const dir = mkdtempSync(join(tmpdir(), "path-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const program of programs) writeFileSync(`${dir}/${program}`, "");
  return dir;
}

test("an empty machine misses every package, and the command installs them all", () => {
  const missing = missingPackages(folderWith());
  expect(installCommand(missing)).toBe(
    "apt-get update && apt-get install -y --no-install-recommends munge slurmctld slurmd slurm-client",
  );
});

test("a lab with accounting needs two packages more", () => {
  const path = folderWith(
    "munged",
    "slurmctld",
    "slurmd",
    "slurmstepd",
    "sbatch",
    "srun",
    "scontrol",
    "squeue",
    "sinfo",
    "scancel",
  );
  expect(missingPackages(path)).toEqual([]);
  expect(missingPackages(path, accountingPackages)).toEqual(["slurmdbd", "mariadb-server-core"]);
});

test("a package of which one program is missing is missing", () => {
  expect(missingPackages(folderWith("munged", "slurmctld", "slurmd", "sbatch"))).toEqual(["slurmd", "slurm-client"]);
});

test("programs may lie in several folders", () => {
  const path = [
    folderWith("munged", "slurmctld"),
    folderWith("slurmd", "slurmstepd", "sbatch", "srun", "scontrol", "squeue", "sinfo", "scancel"),
  ].join(":");
  expect(missingPackages(path)).toEqual([]);
});
