/**
 * Goal    a document that says something untrue about the repository is caught.
 * Method  small repositories of two or three files.
 */
import { describe, expect, test } from "vitest";
import { findingsIn } from "../testing/tree-of.ts";
import { recordHeadings } from "./markdown.ts";

const whatIsSaidOf = (text: string, others: Record<string, string> = {}, path = "docs/a.md") =>
  findingsIn({ [path]: text, ...others }).map((line) => line.slice(path.length + 1).replace(/; instead: .*/, ""));

describe("markdown", () => {
  test("has one title, and it comes first", () => {
    expect(whatIsSaidOf("# A\n## B")).toEqual([]);
    expect(whatIsSaidOf("text")).toEqual(["1 title: 0 titles"]);
    expect(whatIsSaidOf("# A\n\n# B")).toEqual(["3 title: 2 titles"]);
    expect(whatIsSaidOf("## A\n# B")).toEqual(["1 title: 1 titles"]);
    expect(whatIsSaidOf("# A\n```yaml\n# a comment\n```")).toEqual([]);
  });

  test("links to what exists", () => {
    const others = { "docs/b.md": "# B\n## What it *costs*", "README.md": "# R" };
    expect(
      whatIsSaidOf(
        "# A\n[b](b.md) [r](../README.md) [c](b.md#what-it-costs) [d](../docs) [e](https://x.org/y) [f](#a)",
        others,
      ),
    ).toEqual([]);
    expect(whatIsSaidOf("# A\n[b](c.md)", others)).toEqual(["2 link: c.md does not exist"]);
    expect(whatIsSaidOf("# A\n[b](b.md#nothing)", others)).toEqual(["2 link: docs/b.md has no heading #nothing"]);
  });

  test("names files and symbols that exist, and no line numbers", () => {
    const others = { "apps/sac/src/gate.ts": "export const mayAct = 1;" };
    const good =
      "# A\n`apps/sac/src/gate.ts` `apps/sac/src/gate.ts#mayAct` `apps/*/src/gate.ts` `apps/sac/` `apps/<name>/x.ts` `npm test`";
    expect(whatIsSaidOf(good, others)).toEqual([]);
    expect(whatIsSaidOf("# A\n`apps/sac/src/door.ts`", others)).toEqual([
      "2 named: `apps/sac/src/door.ts` does not exist",
    ]);
    expect(whatIsSaidOf("# A\n`apps/*/src/door.ts`", others)).toEqual(["2 named: `apps/*/src/door.ts` does not exist"]);
    expect(whatIsSaidOf("# A\n`apps/sac/src/gate.ts#may`", others)).toEqual([
      "2 named: `apps/sac/src/gate.ts` has no `may`",
    ]);
    expect(whatIsSaidOf("# A\n`apps/sac/src/gate.ts:1`", others)).toEqual([
      "2 named: `apps/sac/src/gate.ts:1` has a line number",
    ]);
  });

  test("a decision record has its six headings and a number of its own", () => {
    const record = `# 1\n${recordHeadings.map((h) => `## ${h}`).join("\n")}`;
    expect(whatIsSaidOf(record, {}, "docs/decisions/0001-a.md")).toEqual([]);
    expect(whatIsSaidOf("# 1\n## Question", {}, "docs/decisions/0001-a.md")).toEqual([
      "1 record: the headings are: Question",
    ]);
    expect(whatIsSaidOf(record, {}, "docs/decisions/1-a.md")).toEqual(["1 record: not named by number and answer"]);
    expect(findingsIn({ "docs/decisions/0001-a.md": record, "docs/decisions/0001-b.md": record })).toHaveLength(2);
  });

  test("the changelog has its three headings in their order, in each version", () => {
    const good = "# C\n## 2\n### You must act\n### Everything else\n## 1\n### Safety";
    expect(whatIsSaidOf(good, {}, "CHANGELOG.md")).toEqual([]);
    expect(whatIsSaidOf("# C\n## 1\n### Safety\n### You must act", {}, "CHANGELOG.md")).toEqual([
      "4 changelog: `You must act` here",
    ]);
    expect(whatIsSaidOf("# C\n## 1\n### Added", {}, "CHANGELOG.md")).toEqual(["3 changelog: `Added` here"]);
  });
});
