/**
 * Four sets of tests, because they need different things of the machine:
 * `unit` nothing; `browser` a Chromium; `postgres` a real PostgreSQL (REPRISE_TEST_DATABASE_URL; tools/src/postgres.ts starts one); `e2e` a real Slurm,
 * and the machine for itself: one file at a time. `make test` brings what they need.
 */
import { defineConfig } from "vitest/config";

const postgres = ["apps/server/src/manager/store/postgres/**/*.test.ts", "e2e/replicas.e2e.ts"];
const realSlurm = "**/*.real.test.ts";
/** Exchanges with a server that the suite starts: they need no Slurm. */
const api = "e2e/api/**/*.test.ts";
/** What the documents say, without Slurm. */
const documents = "e2e/documents/**/*.test.ts";
/** The page in a real browser, with a server that the suite starts. */
const browser = "e2e/browser/**/*.test.ts";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: [
            "packages/*/**/*.test.ts",
            "apps/*/src/**/*.test.ts",
            "tools/src/**/*.test.ts",
            "sim/{src,teeth}/**/*.test.ts",
            api,
            documents,
          ],
          exclude: ["**/node_modules/**", ...postgres, realSlurm],
          pool: "threads",
          isolate: false,
        },
      },
      {
        test: {
          name: "postgres",
          include: postgres,
          pool: "threads",
          isolate: false,
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "browser",
          include: [browser],
          globalSetup: "e2e/browser/built-page.ts",
          pool: "forks",
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.e2e.ts", "e2e/**/*.test.ts", `packages/slurm-lab/src/${realSlurm}`],
          exclude: ["**/node_modules/**", api, documents, browser, ...postgres],
          pool: "forks",
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          env: { REPRISE_REAL_SLURM: "1" },
        },
      },
    ],
  },
});
