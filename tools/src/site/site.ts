/**
 * site: `make docs` builds the documentation site; `make docs ARGS=--serve` shows it on this machine until Ctrl-C.
 *
 * Writes  `site/.vitepress/dist`, plain files for any web server.
 * Fails   where a link, or its anchor, leads nowhere, or a page would ask another host for something.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, serve } from "vitepress";
import { faultsOf } from "./built-pages.ts";

const root = fileURLToPath(new URL("../../../site", import.meta.url));
const dist = join(root, ".vitepress/dist");
const port = 4173;

await build(root);
const pages = new Map(
  globSync("**/*.html", { cwd: dist }).map((path) => [path, readFileSync(join(dist, path), "utf8")]),
);
const faults = faultsOf(pages);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(`docs: ${faults.length} faults`);
  process.exitCode = 1;
} else if (process.argv.includes("--serve")) {
  await serve({ root, port });
} else {
  console.log(`docs: ${pages.size} pages in ${dist}; \`make docs ARGS=--serve\` shows them`);
}
