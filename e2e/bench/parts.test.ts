/**
 * Goal    benchmarks that write one page keep what others have written.
 */
import { expect, test } from "vitest";
import { withPart } from "./parts.ts";

const page = "# Benchmarks\n\nIntroduction.\n\n## One\n\n1\n\n## Two\n\n2\n";

test("a part takes the place of the one under its heading, and a new one comes last", () => {
  expect(withPart(page, "## One\n\nagain\n")).toBe("# Benchmarks\n\nIntroduction.\n\n## One\n\nagain\n\n## Two\n\n2\n");
  expect(withPart(page, "## Three\n\n3")).toBe(`${page}\n## Three\n\n3\n`);
});

test("several parts find their places, and writing them twice changes nothing", () => {
  const once = withPart(page, "## Two\n\ntwo\n\n## Three\n\n3\n");
  expect(once).toBe("# Benchmarks\n\nIntroduction.\n\n## One\n\n1\n\n## Two\n\ntwo\n\n## Three\n\n3\n");
  expect(withPart(once, "## Two\n\ntwo\n\n## Three\n\n3\n")).toBe(once);
});
