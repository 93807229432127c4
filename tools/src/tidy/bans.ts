/**
 * bans: what must not stand in the code, each with what stands there instead.
 *
 * Source  docs: CONTRIBUTING.md, "Style in one page". An exception is written where it is, with its reason (see finding.ts).
 */
import { isGenerated, isTest, isTool, isTypeScript, type Finding, type Rule } from "./finding.ts";
import { lineAt, type Source } from "./source.ts";

interface Ban {
  readonly rule: string;
  /** Looked for in the code, where comments and strings are blank. */
  readonly code: RegExp;
  readonly where: (path: string) => boolean;
  readonly instead: string;
}

const everywhere = () => true;
/** Product code outside the runtime: it is given its clock, its chance and its configuration. */
const isGivenItsLife = (path: string) =>
  !isTest(path) &&
  !isTool(path) &&
  !/^(?:packages\/runtime|packages\/slurm-lab\/training|apps\/dashboard)\//.test(path);
const runsInBrowser = (path: string) =>
  /^packages\/(?:core|protocol)\//.test(path) && !isTest(path) && !path.startsWith("packages/protocol/src/grpc");

export const bannedCode: readonly Ban[] = [
  {
    rule: "clock",
    code: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b/g,
    where: isGivenItsLife,
    instead: "clock.now() of the Life",
  },
  {
    rule: "clock",
    code: /(?<![.\w])set(?:Timeout|Interval|Immediate)\b/g,
    where: isGivenItsLife,
    instead: "clock.sleep, or startLoop of @reprise/runtime/loop.ts",
  },
  {
    rule: "chance",
    code: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/g,
    where: isGivenItsLife,
    instead: "chance of the Life",
  },
  {
    rule: "environment",
    code: /\bprocess\.env\b/g,
    where: isGivenItsLife,
    instead: "a field of the program's config.ts, filled by the command line",
  },
  {
    rule: "browser",
    code: /\bBuffer\b|(?<![.\w])process\.|\b__dirname\b|\bimport\.meta\.(?:dirname|filename)\b/g,
    where: runsInBrowser,
    instead: "Uint8Array, TextDecoder; take the rest as an argument",
  },
  { rule: "any", code: /\bas any\b|<any>/g, where: everywhere, instead: "unknown, and a check that narrows it" },
  {
    rule: "only",
    code: /\b(?:test|it|describe|suite)(?:\.\w+)*\.only\b/g,
    where: everywhere,
    instead: "run one test with: npx vitest run <path> -t <name>",
  },
  {
    rule: "skip",
    code: /\b(?:test|it|describe|suite)(?:\.\w+)*(?:\([^()]*\))?\.(?:skip|todo|fails)\(/g,
    where: everywhere,
    instead: "skipIf with the reason in the name, or an exception with its reason",
  },
  {
    rule: "mock",
    code: /\bvi\.(?:mock|doMock|spyOn|stubGlobal|stubEnv|useFakeTimers)\b/g,
    where: everywhere,
    instead: "a fake of a port, with a contract suite",
  },
  {
    rule: "name",
    code: /\b(?:interface|class|type)\s+(?:I[A-Z][a-z]\w*|\w+(?:Impl|Utils?|Helpers?))\b/g,
    where: everywhere,
    instead: "the noun it is, without prefix or suffix",
  },
];

export const bans: Rule = (source) => {
  if (!isTypeScript(source.path) || isGenerated(source.path)) return [];
  const inCode = bannedCode
    .filter((ban) => ban.where(source.path))
    .flatMap((ban) =>
      [...source.code.matchAll(ban.code)].map((m) =>
        finding(source, m.index, ban.rule, `\`${m[0].trim()}\``, ban.instead),
      ),
    );
  return [...inCode, ...inComments(source), ...sqlOutsideStore(source), ...slurmOutsideSac(source)];
};

const finding = ({ path, text }: Source, at: number, rule: string, what: string, instead: string): Finding => ({
  path,
  line: lineAt(text, at),
  rule,
  what,
  instead,
});

const silencer =
  /@ts-(?:ignore|nocheck|expect-error)\b(?!.*\bbecause\b)|(?:oxlint|eslint)-disable\S*(?!.*\bbecause\b)/g;

const inComments = (source: Source) =>
  source.comments.flatMap(({ at, text }) =>
    [...text.matchAll(silencer)].map((m) =>
      finding(
        source,
        at + m.index,
        "silencer",
        `\`${m[0]}\` without a reason`,
        "mend it, or say `because …` on the same line",
      ),
    ),
  );

const sql =
  /^\s*(?:select\s[^]*\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|create\s+(?:table|index|unique)\s|alter\s+table\s|with\s+\S+\s+as\s+(?:materialized\s+)?\()/;
const mayHoldSql = (path: string) => path.startsWith("apps/server/src/manager/store/") || isTest(path) || isTool(path);

function sqlOutsideStore(source: Source): Finding[] {
  if (mayHoldSql(source.path)) return [];
  return source.strings
    .filter(({ text }) => sql.test(text) || sql.test(text.replace(/[A-Z]{3,}/g, (word) => word.toLowerCase())))
    .map(({ at }) =>
      finding(source, at, "sql", "SQL outside the store", "a method of the contract apps/server/src/manager/store.ts"),
    );
}

const slurmPrograms = /^(?:\S*\/)?(?:s(?:queue|control|acct|acctmgr|batch|cancel|info|run|alloc|diag))(?:\s|$)/;
/** The last arguments of a call that runs a program: `execFile("scontrol"`, `runner.run("squeue"`, `run(`scancel …`. */
const running = /\b(?:exec\w*|spawn\w*|run\w*|\w*[rR]unner)\s*\(\s*$/;
const mayRunSlurm = (path: string) =>
  /^(?:apps\/sac\/src\/slurm|packages\/slurm-lab|e2e)\//.test(path) ||
  /^apps\/cli\/src\/.*doctor/.test(path) ||
  isTest(path);

function slurmOutsideSac(source: Source): Finding[] {
  if (mayRunSlurm(source.path)) return [];
  return source.strings
    .filter(({ at, text }) => slurmPrograms.test(text) && running.test(source.code.slice(Math.max(0, at - 80), at)))
    .map(({ at, text }) =>
      finding(
        source,
        at,
        "slurm",
        `runs \`${text}\``,
        "the contract apps/sac/src/slurm/slurm.ts, or @reprise/slurm-lab",
      ),
    );
}
