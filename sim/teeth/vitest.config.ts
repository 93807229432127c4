/** The unit tests of the product, with bugs planted in it (TOOTH in the environment: names, with commas): they must not see them. */
import { defineConfig } from "vitest/config";
import { plantedBy } from "./plant.ts";

const planted = plantedBy(...(process.env["TOOTH"] ?? "").split(","));
// These start databases and servers of their own: slow, and none of the planted bugs is in them.
const slow = [
  "apps/server/src/manager/store/{postgres,embedded,backup}/**",
  "apps/server/src/{gateway/**,main.test.ts}",
];

/** @public Vitest takes it, whom `unseen.ts` starts. */
export default defineConfig({
  root: new URL("../../", import.meta.url).pathname,
  plugins: [{ name: "plant", enforce: "pre", transform: (_text, id) => planted.get(id.split("?", 1)[0] ?? "") }],
  test: {
    include: ["packages/core/**/*.test.ts", "apps/{sac,watcher,server,cli}/src/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/*.real.test.ts", "apps/cli/src/{up,demo}/**", ...slow],
    pool: "threads",
    isolate: false,
    // A cache knows the text on the disk, and nothing of what is planted.
    fsModuleCache: false,
    // A slow machine has not seen a bug.
    testTimeout: 120_000,
  },
});
