/**
 * Goal    each line of the law of imports catches what it forbids, in each way an import can be written.
 * Method  a row is one file with one import, and the sentence that must be said; or nothing.
 */
import { describe, expect, test } from "vitest";
import { findingsIn } from "../testing/tree-of.ts";

const cases: [path: string, text: string, says: string | undefined][] = [
  ["packages/core/src/a.ts", `import { b } from "./b.ts";`, undefined],
  ["packages/core/src/a.ts", `import { readFileSync } from "node:fs";`, "packages/core imports node:fs"],
  ["packages/core/src/a.ts", `import x from "zod";`, "packages/core imports zod"],
  ["packages/core/src/a.test.ts", `import fc from "fast-check"; import { readFileSync } from "node:fs";`, undefined],
  ["packages/core/src/policy.example.ts", `import fc from "fast-check";`, undefined],
  ["packages/core/src/a.ts", `import fc from "fast-check";`, "product code imports fast-check"],
  [
    "packages/core/src/a.ts",
    `import type { L } from "@reprise/runtime/life.ts";`,
    "packages/core may not import packages/runtime",
  ],
  [
    "packages/core/src/a.ts",
    `export { L } from "../../runtime/src/life.ts";`,
    "../../runtime/src/life.ts leaves packages/core",
  ],
  [
    "packages/protocol/src/a.ts",
    `import { x } from "@reprise/core/nouns.ts"; import { y } from "@bufbuild/protobuf/wkt";`,
    undefined,
  ],
  ["packages/protocol/src/a.ts", `import { x } from "node:util";`, "a browser has no node:util"],
  ["packages/protocol/src/a.ts", `import { x } from "@grpc/grpc-js";`, "a browser has no @grpc/grpc-js"],
  ["packages/protocol/src/grpc.ts", `import { x } from "@grpc/grpc-js"; import { y } from "node:fs";`, undefined],
  ["apps/server/src/a.ts", `import { x } from "@reprise/sac/gate.ts";`, "apps/server may not import apps/sac"],
  ["apps/server/src/a.ts", `const x = await import("@reprise/sac/gate.ts");`, "apps/server may not import apps/sac"],
  ["apps/server/src/a.ts", `let x: import("@reprise/sac/gate.ts").Gate;`, "apps/server may not import apps/sac"],
  ["apps/server/src/a.ts", `const x = require("@reprise/sac/gate.ts");`, "apps/server may not import apps/sac"],
  ["apps/server/src/a.ts", `import "@reprise/sac/gate.ts";`, "apps/server may not import apps/sac"],
  ["apps/server/src/a.ts", `import.meta.resolve("@reprise/sac/gate.ts");`, "apps/server may not import apps/sac"],
  [
    "apps/server/src/a.ts",
    `new Worker(new URL("../../sac/src/gate.ts", import.meta.url));`,
    "../../sac/src/gate.ts leaves apps/server",
  ],
  ["apps/server/src/a.ts", `new URL("../../../signatures", import.meta.url);`, undefined],
  ["apps/server/src/a.ts", `await import(name);`, "an import of a computed name cannot be checked"],
  [
    "apps/server/src/a.ts",
    `// import "@reprise/sac/gate.ts"\nconst s = 'import "@reprise/sac/x.ts"'; Array.from("@reprise/sac");`,
    undefined,
  ],
  ["apps/server/src/a.ts", `import { Pool } from "pg";`, "pg is used outside its home"],
  ["apps/server/src/manager/store/postgres/a.ts", `import { Pool } from "pg";`, undefined],
  [
    "apps/server/src/a.ts",
    `import { x } from "@reprise/nothing/a.ts";`,
    "@reprise/nothing/a.ts is no workspace of ours",
  ],
  [
    "apps/server/src/a.ts",
    `import { x } from "@reprise/runtime/testing/fake-clock.ts";`,
    "product code imports @reprise/runtime/testing/fake-clock.ts, which is there for tests",
  ],
  ["apps/server/src/a.test.ts", `import { x } from "@reprise/runtime/testing/fake-clock.ts";`, undefined],
  ["apps/sac/src/a.ts", `import { x } from "@reprise/slurm-lab/lab.ts";`, "apps/sac may not import packages/slurm-lab"],
  [
    "apps/sac/src/a.ts",
    `import * as timers from "node:timers/promises";`,
    "node:timers/promises waits by the real clock",
  ],
  [
    "apps/cli/src/a.ts",
    `import { x } from "@reprise/slurm-lab/lab.ts"; import { y } from "@reprise/sac/config.ts";`,
    undefined,
  ],
  [
    "packages/slurm-lab/src/a.ts",
    `import { x } from "@reprise/core/nouns.ts";`,
    "packages/slurm-lab may not import packages/core",
  ],
  ["packages/new/src/a.ts", `import { x } from "@reprise/core/nouns.ts";`, "packages/new is not in the law of imports"],
];

describe("the law of imports", () => {
  test.each(cases)("%s: %s", (path, text, says) => {
    expect(findingsIn({ [path]: text }).map((line) => /^\S+ imports: (.*); instead: /.exec(line)?.[1])).toEqual(
      says === undefined ? [] : [says],
    );
  });
});
