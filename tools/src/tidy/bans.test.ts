/**
 * Goal    each ban is seen to catch, and only in code, only where it holds; an exception needs its reason and its use.
 * Method  tables of one-line files.
 */
import { describe, expect, test } from "vitest";
import { findingsIn, rulesBrokenBy } from "../testing/tree-of.ts";

const product = "apps/sac/src/a.ts";
const suite = "apps/sac/src/a.test.ts";

const caught: [path: string, text: string, rule: string][] = [
  [product, "const t = Date.now();", "clock"],
  [product, "const t = new Date();", "clock"],
  [product, "const t = performance.now();", "clock"],
  [product, "setTimeout(f, 1);", "clock"],
  [product, "const id = setInterval(f, 1);", "clock"],
  [product, "const r = Math.random();", "chance"],
  [product, "const id = crypto.randomUUID();", "chance"],
  [product, "const x = process.env.HOME;", "environment"],
  ["packages/protocol/src/a.ts", "const b = Buffer.from(x);", "browser"],
  [product, "f(x as any);", "any"],
  [suite, "test.only('x', f);", "only"],
  [suite, "describe.skip('x', f);", "skip"],
  [suite, "test.each(rows).skip('x', f);", "skip"],
  [suite, "vi.mock('./x.ts');", "mock"],
  [product, "interface IStore {}", "name"],
  [product, "class StoreImpl {}", "name"],
  [product, "// @ts-ignore\nf();", "silencer"],
  [product, "// oxlint-disable-next-line no-console\nf();", "silencer"],
  [product, "db.query(`select id from job`);", "sql"],
  [product, 'const q = "INSERT INTO job VALUES (1)";', "sql"],
  [product, "const q = `\n  with x as (select 1) select * from x`;", "sql"],
  ["apps/cli/src/commands/jobs.ts", 'execFile("squeue", args);', "slurm"],
  ["apps/cli/src/commands/jobs.ts", "await runner.run(`scontrol show job`);", "slurm"],
  ["apps/server/src/a.ts", 'spawnSync("/usr/bin/scancel", ["1"]);', "slurm"],
];

const allowed: [path: string, text: string][] = [
  [product, "const t = new Date(at); const d: Date = x; const s = 'Date.now'; // Math.random"],
  [product, "clock.setTimeout(1); startTimeoutWith(setTimeoutMs);"],
  ["packages/runtime/src/clock.ts", "export const now = () => Date.now();"],
  ["packages/slurm-lab/training/a.ts", "const t = Date.now(); const e = process.env.SLURM_JOB_ID;"],
  ["tools/src/a.ts", "const e = process.env.CI;"],
  [suite, "const t = Date.now(); db.query('select id from job');"],
  ["packages/protocol/src/grpc.ts", "const b = Buffer.from(x);"],
  [suite, "test.skipIf(url === undefined)('x', f); only(1);"],
  [product, "// @ts-expect-error because the library types this wrongly\nf();"],
  [
    product,
    "const say = 'select a job from the list';".replace(
      "select a job from the list",
      "the job that you select from the list",
    ),
  ],
  [product, "interface Identity {} type Issue = 1; class Implements {}"],
  ["apps/server/src/manager/store/postgres/a.ts", "const q = `select id from job`;"],
  ["apps/sac/src/slurm/command/run.ts", 'execFile("squeue", args);'],
  ["apps/cli/src/commands/doctor.ts", 'execFile("scontrol", args);'],
  ["apps/sac/src/config.ts", 'const program = "scontrol"; say("squeue did not answer");'],
];

describe("bans", () => {
  test.each(caught)("%s: %s", (path, text, rule) => {
    expect(rulesBrokenBy(path, text)).toEqual([rule]);
  });
  test.each(allowed)("%s may: %s", (path, text) => {
    expect(rulesBrokenBy(path, text)).toEqual([]);
  });
  test("a finding names the file, the line, what stands there and what to write instead", () => {
    expect(findingsIn({ [product]: "\n\nDate.now();" })).toEqual([
      `${product}:3 clock: \`Date.now\`; instead: clock.now() of the Life`,
    ]);
  });
});

describe("an exception", () => {
  const excuse = "// tidy: clock because a child has no Life";
  test("excuses its line, or the one below it", () => {
    expect(rulesBrokenBy(product, `Date.now(); ${excuse}`)).toEqual([]);
    expect(rulesBrokenBy(product, `${excuse}\nDate.now();`)).toEqual([]);
  });
  test("excuses no other line and no other rule", () => {
    expect(rulesBrokenBy(product, `${excuse}\nf();\nDate.now();`)).toEqual(["clock", "exception"]);
    expect(rulesBrokenBy(product, `${excuse}\nMath.random();`)).toEqual(["chance", "exception"]);
  });
  test("without a reason is a finding", () => {
    expect(findingsIn({ [product]: "Date.now(); // tidy: clock" })).toEqual([
      `${product}:1 exception: \`clock\` is excused without a reason; instead: tidy: clock because <reason>`,
    ]);
  });
});
