import { readFileSync } from "node:fs";
import { fileKey } from "@reprise/runtime/config.ts";
import { expect, test } from "vitest";
import { settings } from "./config-schema.ts";

const page = readFileSync(new URL("../../../docs/settings.md", import.meta.url), "utf8");
const shown = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, key]) => key ?? ""));

test("docs/settings.md has every setting once, and no other", () => {
  expect(shown.toSorted()).toEqual(Object.keys(settings).map(fileKey).toSorted());
});
