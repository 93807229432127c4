/**
 * watcher: measures the watcher and writes its section of `docs/benchmarks.md`.
 *
 * Takes   `--quick` for a hundredth of everything, after which nothing is written; `--mebibytes N` for a smaller log.
 * Gives   the section on stdout. Each part is a process of its own. `rg` is measured where it is installed.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { heapBounds } from "@reprise/watcher/heap-bounds.ts";
import { withPart } from "./parts.ts";
import { type Figures, section } from "./watcher/section.ts";

const document = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
const { values: flags } = parseArgs({
  options: { quick: { type: "boolean", default: false }, mebibytes: { type: "string" } },
});
const programs: Readonly<Record<keyof Figures, URL>> = {
  matching: new URL("./watcher/matching.main.ts", import.meta.url),
  files: new URL("./watcher/files.main.ts", import.meta.url),
  latency: new URL("./watcher/latency.main.ts", import.meta.url),
};
const folder = mkdtempSync(join(tmpdir(), "reprise-bench-watcher-"));

async function part<K extends keyof Figures>(name: K, args: readonly string[]): Promise<Figures[K]> {
  process.stderr.write(`${name} …\n`);
  const all = [...heapBounds, fileURLToPath(programs[name]), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all);
  return JSON.parse(stdout) as Figures[K];
}

try {
  const mebibytes = flags.mebibytes ?? (flags.quick ? "32" : "1024");
  const load = loadavg()[0] ?? 0;
  const figures: Figures = {
    matching: await part("matching", [folder, mebibytes]),
    files: await part("files", [folder, flags.quick ? "100" : "5000"]),
    latency: await part("latency", flags.quick ? ["20", "5"] : ["1000", "30"]),
  };
  const text = section(figures, { cores: cpus().length, node: process.versions.node, load });
  process.stdout.write(text);
  if (!flags.quick) writeFileSync(document, withPart(readFileSync(document, "utf8"), text));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
