/**
 * Goal    names that say nothing, files that grow, unfinished work and paths of one machine are caught.
 * Method  tables; the ratchet on the file that is excused today.
 */
import { describe, expect, test } from "vitest";
import { findingsIn, rulesBrokenBy } from "../testing/tree-of.ts";

const lines = (n: number) => "x;\n".repeat(n);

const caught: [path: string, text: string, rule: string][] = [
  ["apps/sac/src/utils.ts", "", "file-name"],
  ["apps/sac/src/string-helpers.ts", "", "file-name"],
  ["apps/sac/src/common/a.ts", "", "file-name"],
  ["apps/sac/src/index.ts", "", "file-name"],
  ["apps/sac/src/parseSqueue.ts", "", "file-name"],
  ["apps/sac/src/a.ts", lines(251), "file-length"],
  ["apps/sac/src/a.test.ts", lines(501), "file-length"],
  ["packages/core/src/nouns.ts", lines(421), "file-length"],
  ["packages/core/src/nouns.ts", lines(10), "file-length"],
  ["apps/sac/src/a.ts", "// TODO: later", "unfinished"],
  ["docs/a.md", "# A\nFIXME", "unfinished"],
  ["Makefile", "all: # XXX", "unfinished"],
  ["apps/sac/src/a.ts", 'const f = "/home/someone/x";', "machine-path"],
  ["docs/a.md", "# A\nSee /work/x.", "machine-path"],
  ["docs/a.md", "# A\n<<<<<<< HEAD\nours\n", "conflict"],
  ["docs/a.md", "# A\n>>>>>>> 1234567 (a change)\n", "conflict"],
  ["apps/sac/src/a.test.ts", 'const root = "/work/x";', "machine-path"],
];

const allowed: [path: string, text: string][] = [
  ["apps/sac/src/a.ts", lines(250)],
  ["packages/core/src/nouns.ts", lines(300)],
  ["packages/protocol/src/gen/reprise/v1/reprise_pb.ts", lines(900)],
  [
    "apps/sac/src/a.ts",
    'const f = "TODO"; const g = "/srv/x"; const h = `${dir}/work/x`; const u = "http://x/home/y";',
  ],
  ["apps/sac/src/a.test.ts", 'const workDir = "/home/ada/run";'],
  ["packages/slurm-lab/testdata/a.md", "# A\n/home/someone"],
];

describe("files", () => {
  test.each(caught)("%s (%#)", (path, text, rule) => {
    expect(rulesBrokenBy(path, text)).toEqual([rule]);
  });
  test.each(allowed)("%s may be so (%#)", (path, text) => {
    expect(rulesBrokenBy(path, text)).toEqual([]);
  });
  test("an exception outside TypeScript is a comment of that language", () => {
    const excuse = "machine-path because it is the usual place";
    expect(findingsIn({ "docs/a.md": `# A\n<!-- tidy: ${excuse} -->\n/home/you` })).toEqual([]);
    expect(findingsIn({ Makefile: `a: # tidy: ${excuse}\n\tls /home/you` })).toEqual([]);
  });
});
