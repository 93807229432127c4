/**
 * build-page: brings the dashboard up to date with its sources, where this is a checkout.
 *
 * Writes  `apps/dashboard/dist`, whole or not at all; and only when a source is newer than what is there.
 * Fails   never: without a page the server says how to build it, and everything else works. What went wrong is logged.
 * Bound   `buildLimitMs`
 */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { environment } from "@reprise/runtime/environment.ts";
import type { Log } from "@reprise/runtime/life.ts";

const folder = fileURLToPath(new URL("../../../dashboard", import.meta.url));
const builder = fileURLToPath(new URL("../../../../node_modules/vite/bin/vite.js", import.meta.url));
const buildLimitMs = 120_000;

export async function buildPage(log: Log): Promise<void> {
  // What was installed has no sources: it was built before.
  if (!existsSync(builder) || !existsSync(join(folder, "src")) || !isOlder()) return;
  const fresh = join(folder, `dist.${process.pid}`);
  try {
    log.info({}, "building the dashboard, once; some seconds");
    const args = [builder, "build", "--outDir", fresh, "--logLevel", "warn"];
    await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      timeout: buildLimitMs,
      env: { ...environment(), NODE_ENV: "production" }, // Under a test it would build React for developers.
    });
    rmSync(join(folder, "dist"), { recursive: true, force: true });
    renameSync(fresh, join(folder, "dist"));
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Somebody else may have built it meanwhile.
    if (isOlder()) log.warn({ error }, "the dashboard could not be built: `make dashboard` says why");
  }
}

function isOlder(): boolean {
  const builtAt = statSync(join(folder, "dist/index.html"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ["src", "public"].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).map((entry) =>
      join(entry.parentPath, entry.name),
    ),
  );
  const all = [...sources, join(folder, "index.html"), join(folder, "vite.config.ts"), join(folder, "package.json")];
  return all.some((path) => statSync(path).mtimeMs > builtAt);
}
