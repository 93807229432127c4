/**
 * Goal    a restored embedded database goes on where the backup was made; a restore that could destroy something is refused and changes
 *         nothing.
 * Method  real folders of PGlite, one saved with its store closed.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openEmbedded } from "../embedded/open-embedded.ts";
import { noon, stillLife } from "../testing/life.ts";
import { decided, report, restart, s } from "../testing/world.ts";
import { backUp, restore } from "./back-up.ts";

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "reprise-backup-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const open = (dataDir: string) => openEmbedded(dataDir, stillLife());

test("a backup of a stopped server, restored elsewhere, goes on with all that it knew", {
  timeout: 60_000,
}, async () => {
  const [dataDir, elsewhere] = [join(folder(), "data"), join(folder(), "data")];
  const file = join(folder(), "saved");
  const first = await open(dataDir);
  const job = await first.upsertJob(report("1"), noon);
  await decided(first, job, restart());
  await expect(backUp({ dataDir }, file), "while it runs").rejects.toThrow("another Reprise process is using it");
  expect(existsSync(file)).toBe(false);
  await first.close();

  await backUp({ dataDir }, file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await expect(backUp({ dataDir }, file)).rejects.toThrow("is there already");
  expect(await restore({ dataDir: elsewhere }, file, false)).toBeUndefined();

  const second = await open(elsewhere);
  expect(await second.getJobByUuid(job.heimdallJobId)).toMatchObject({ jobId: "1", status: "RUNNING" });
  expect(await second.getAdvice(job.heimdallJobId)).toMatchObject({ generation: 1, because: "hardware-node" });
  await second.upsertJob(report("2"), noon + s);
  expect((await second.listJobs({}, { offset: 0, limit: 9 })).rows.map(({ jobId }) => jobId)).toEqual(["1", "2"]);
  await expect(restore({ dataDir: elsewhere }, file, true), "while it runs").rejects.toThrow("is using it");
  await second.close();

  await expect(restore({ dataDir: elsewhere }, file, false)).rejects.toThrow("has a database already");
  expect(await restore({ dataDir: elsewhere }, file, true)).toBe(join(elsewhere, "pg.before-restore"));
  const third = await open(elsewhere);
  expect((await third.listJobs({}, { offset: 0, limit: 9 })).rows.map(({ jobId }) => jobId)).toEqual(["1"]);
  await third.close();
});

/** A backup with this note and an empty database. */
function backupWith(note: object): string {
  const dir = folder();
  writeFileSync(join(dir, "reprise-backup.json"), JSON.stringify(note));
  mkdirSync(join(dir, "pg"));
  execFileSync("tar", ["-czf", join(dir, "file"), "-C", dir, "reprise-backup.json", "pg"]);
  return join(dir, "file");
}

test.each([
  ["another format", { format: 2, migrations: [] }, "has the backup format 2; this Reprise knows 1"],
  [
    "a newer schema",
    { format: 1, migrations: ["0001-first", "9999-later"] },
    "comes from a newer Reprise: it has 9999-later",
  ],
])("%s is refused by its name, and nothing is changed", async (_, note, words) => {
  const dataDir = folder();
  await expect(restore({ dataDir }, backupWith(note), true)).rejects.toThrow(words);
  expect(readdirSync(dataDir)).toEqual([]);
});

test("a file that is no backup, or of another kind of database, is refused", async () => {
  const dataDir = folder();
  const file = join(dataDir, "file");
  writeFileSync(file, "words");
  await expect(restore({ dataDir }, file, true)).rejects.toThrow("is no backup of Reprise");
  writeFileSync(file, "PGDMP and so on");
  await expect(restore({ dataDir }, file, true)).rejects.toThrow(
    "is a backup of a PostgreSQL, and the configuration names an embedded database",
  );
  await expect(restore({ dataDir }, join(dataDir, "none"), true)).rejects.toThrow("cannot be read");
});
