/**
 * install: `make install` and `make uninstall`: `node tools/src/install.ts install|uninstall`.
 *
 * Takes   PREFIX (/usr/local), SYSCONFDIR (/etc), UNITDIR (PREFIX/lib/systemd/system), DESTDIR (none) from the environment.
 * Writes  below these folders only. A configuration that is there stays; so does it at the end, with the data folders.
 * Keeps   what is installed needs neither npm nor the checkout, and is never written to.
 * Fails   exit code 1 and one sentence; what was written until then is removed by `uninstall`.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fillIn, foldersOf, isOfProduct, type Item, libDir, packagesOf, planInstall } from "./install/plan.ts";
import { root } from "./run/command.ts";

function put(item: Item, at: string, fill: (text: string) => string): void {
  if (item.kind === "text" && item.isKept === true && existsSync(at)) return;
  mkdirSync(dirname(at), { recursive: true });
  rmSync(at, { recursive: true, force: true });
  switch (item.kind) {
    case "tree":
      return copyTree(join(root, item.from), at);
    case "text":
      writeFileSync(at, fill(readFileSync(join(root, item.from), "utf8")));
      return chmodSync(at, item.mode);
    case "link":
      return symlinkSync(item.target, at);
    case "mark":
      return writeFileSync(at, "Installed whole: bin/reprise brings nothing.\n");
  }
}

/** Packages come as they are; our own sources without their tests. */
function copyTree(from: string, to: string): void {
  const isPackage = from.startsWith(join(root, "node_modules"));
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => isPackage || isOfProduct(relative(root, path)),
  });
}

const verb = process.argv[2];
try {
  const folders = foldersOf(process.env);
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, object>;
  };
  const items = planInstall(
    folders,
    packagesOf(lock.packages).filter((path) => existsSync(join(root, path))),
  );
  const sandbox = readFileSync(join(root, "packaging/systemd/sandbox.inc"), "utf8");
  const placeOf = (path: string) => folders.destDir + path;
  if (verb === "install") {
    rmSync(placeOf(libDir(folders)), { recursive: true, force: true });
    for (const item of items) put(item, placeOf(item.to), (text) => fillIn(text, folders, sandbox));
    console.log(`installed in ${placeOf(libDir(folders))}; configuration in ${placeOf(folders.sysconfDir)}/reprise`);
  } else if (verb === "uninstall") {
    for (const item of items)
      if (!(item.kind === "text" && item.isKept === true)) rmSync(placeOf(item.to), { recursive: true, force: true });
    rmSync(placeOf(libDir(folders)), { recursive: true, force: true });
    console.log(`removed; ${folders.sysconfDir}/reprise and the data folders are left`);
  } else throw new Error(`expected install or uninstall, not ${verb ?? "nothing"}`);
} catch (error) {
  console.error(`install: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
