/**
 * installed: exit code 0 when node_modules is what package-lock.json says. Plain JavaScript: it must run on the Node that the
 * machine has, before ours is there.
 *
 * Keeps  a package that is there in another version, or is missing though not optional, means: install. What somebody would only like to
 *        have beside him (`peer`) is not missing: `--legacy-peer-deps` does not bring it.
 */
import { existsSync, readFileSync } from "node:fs";

const read = (path) => JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8")).packages;

function isInstalled() {
  if (!existsSync(new URL("../node_modules/node/bin/node", import.meta.url))) return false;
  const wanted = read("package-lock.json");
  const present = read("node_modules/.package-lock.json");
  return Object.entries(wanted).every(([path, { version, optional, peer, link }]) => {
    if (path === "" || link === true || !path.startsWith("node_modules/")) return true;
    return present[path] === undefined ? optional === true || peer === true : present[path].version === version;
  });
}

try {
  process.exitCode = isInstalled() ? 0 : 1;
} catch {
  process.exitCode = 1;
}
