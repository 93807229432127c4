/**
 * Goal    what is installed is the whole program and nothing of its tests; a mistake in a folder's name is refused.
 * Method  the plan as values; `e2e/install.e2e.ts` carries it out.
 */
import { expect, test } from "vitest";
import { fillIn, foldersOf, isOfProduct, packagesOf, planInstall } from "./plan.ts";

test("packages of the program, its own links and Node come along; those for development do not", () => {
  const entries = {
    "": {},
    "apps/cli": {},
    "node_modules/pg": {},
    "node_modules/a/node_modules/b": {},
    "node_modules/vitest": { dev: true },
    "node_modules/node": { dev: true },
    "node_modules/@reprise/cli": { link: true, resolved: "apps/cli" },
    "node_modules/@reprise/e2e": { link: true, resolved: "e2e" },
  };
  expect(packagesOf(entries)).toEqual(["node_modules/@reprise/cli", "node_modules/node", "node_modules/pg"]);
});

test("tests and their data stay behind", () => {
  expect(["apps/cli/src/main.ts", "apps/sac/jobcomp/reprise-jobcomp"].every(isOfProduct)).toBe(true);
  const left = ["apps/cli/src/main.test.ts", "apps/watcher/testdata/x.log", "apps/server/src/store.contract.ts"];
  expect(left.filter(isOfProduct)).toEqual([]);
});

test("everything is below PREFIX and SYSCONFDIR; DESTDIR is in no file", () => {
  const folders = foldersOf({ PREFIX: "/opt/r", SYSCONFDIR: "/opt/r/etc", DESTDIR: "/image" });
  expect(planInstall(folders, []).filter(({ to }) => !to.startsWith("/opt/r/"))).toEqual([]);
  expect(fillIn("ExecStart=@BINDIR@/reprise sac", folders, "")).toBe("ExecStart=/opt/r/bin/reprise sac");
});

test("a folder that is not absolute, a name that is not known: refused by name", () => {
  expect(() => foldersOf({ PREFIX: "usr" })).toThrow("PREFIX is usr; expected an absolute path");
  expect(() => fillIn("@WHERE@", foldersOf({}), "")).toThrow("@WHERE@ is not known");
});
