/**
 * Goal    a real file system and the world in memory answer alike.
 * Method  one suite; each body brings a folder and the four things that writers do.
 */
import { expect, test } from "vitest";
import type { LogSource, OpenLog } from "./source.ts";

export interface SourceWorld {
  readonly source: LogSource;
  readonly folder: string;
  /** Where looks are only as fresh as the last sweep. */
  refresh?(): Promise<void>;
  append(path: string, text: string): void;
  truncate(path: string): void;
  rename(from: string, to: string): void;
}

export function sourceContract(makeWorld: () => SourceWorld): void {
  const text = (log: OpenLog, offset = 0, bytes = 100) => {
    const into = Buffer.alloc(bytes);
    return into.toString("utf8", 0, log.read(into, offset));
  };
  const open = (world: SourceWorld, path: string): OpenLog => {
    const opened = world.source.open(path);
    if (opened.kind !== "open") throw new Error(`${path} is ${opened.kind}`);
    return opened.log;
  };

  test("a file that is not there is absent, by name and to open", () => {
    const { source, folder } = makeWorld();
    expect([source.open(`${folder}/no`).kind, source.look(`${folder}/no`).kind]).toEqual(["absent", "absent"]);
    expect(source.names(`${folder}/no`)).toBeUndefined();
  });

  test("a folder is no log", () => {
    const world = makeWorld();
    world.append(`${world.folder}/sub/log`, "x");
    expect(world.source.open(`${world.folder}/sub`).kind).not.toBe("open");
  });

  test("what is appended is seen and read through the open log", async () => {
    const world = makeWorld();
    const path = `${world.folder}/log`;
    world.append(path, "one\n");
    const log = open(world, path);
    world.append(path, "two\n");
    await world.refresh?.();
    expect([log.look().size, text(log), text(log, 4), text(log, 8), text(log, 0, 2)]).toEqual([
      8,
      "one\ntwo\n",
      "two\n",
      "",
      "on",
    ]);
    log.close();
  });

  test("a truncation keeps the inode and is seen", async () => {
    const world = makeWorld();
    const path = `${world.folder}/log`;
    world.append(path, "one\n");
    const log = open(world, path);
    const before = log.look();
    world.truncate(path);
    await world.refresh?.();
    expect([log.look().size, log.look().inode]).toEqual([0, before.inode]);
    log.close();
  });

  test("after a rotation the open log is the old file and the name the new one", async () => {
    const world = makeWorld();
    const path = `${world.folder}/log`;
    world.append(path, "old");
    const log = open(world, path);
    world.rename(path, `${path}.1`);
    world.append(path, "new file");
    await world.refresh?.();
    const looked = world.source.look(path);
    if (looked.kind !== "seen") throw new Error(looked.kind);
    expect([text(log), looked.look.size, looked.look.inode === log.look().inode]).toEqual(["old", 8, false]);
    log.close();
  });

  test("the names in a folder are listed", () => {
    const world = makeWorld();
    world.append(`${world.folder}/a.log`, "x");
    world.append(`${world.folder}/sub/b.log`, "x");
    expect([...(world.source.names(world.folder) ?? [])].toSorted()).toEqual(["a.log", "sub"]);
  });
}
