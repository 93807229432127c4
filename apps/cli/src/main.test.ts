/**
 * Goal    the command is found from anywhere, brings its packages by itself and only then, ends with the right exit code, and
 *         loads nothing of the lab or of a simulated scheduler but for the commands that need it.
 * Method  real processes. Packages: a copy of the launcher in a small folder of its own, with an `npm` that only writes down
 *         that it was called. Modules: what Node really loaded, and what the files of `up` and its parts import.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test, vi } from "vitest";

vi.setConfig({ testTimeout: 30_000 }); // Processes take their time on a busy machine.

const root = resolve(fileURLToPath(new URL("../../..", import.meta.url)));
const main = join(root, "apps/cli/src/main.ts");

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "reprise-main-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: Readonly<Record<string, string>>; onPid?: (pid: number) => void } = {},
): Promise<Ended> {
  const child = spawn(program, args, {
    cwd: options.cwd ?? "/",
    env: { PATH: process.env["PATH"] ?? "", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (child.pid !== undefined) options.onPid?.(child.pid);
  const texts = { out: "", err: "" };
  child.stdout.on("data", (chunk) => (texts.out += chunk));
  child.stderr.on("data", (chunk) => (texts.err += chunk));
  const [code] = (await once(child, "close")) as [number];
  return { code, ...texts };
}

/** The launcher is inside npm (a subshell of it), or sleeps until another one is. Linux only, as the lab is. */
function isWaiting(pid: number): boolean {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    return children.some((child) => /^(sleep|npm|reprise)$/.test(readFileSync(`/proc/${child}/comm`, "utf8").trim()));
  } catch {
    return false; // It has just gone on.
  }
}

const reprise = (args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = "/") =>
  run(process.execPath, [main, ...args], { env, cwd });

describe("the launcher", () => {
  test("is found through links, from another folder", async () => {
    const dir = folder();
    mkdirSync(join(dir, "a b"));
    symlinkSync(join(root, "bin/reprise"), join(dir, "a b", "first"));
    symlinkSync("a b/first", join(dir, "second"));
    const version = (JSON.parse(readFileSync(join(root, "apps/cli/package.json"), "utf8")) as { version: string })
      .version;
    expect(await run(join(dir, "second"), ["--version"])).toEqual({ code: 0, out: `${version}\n`, err: "" });
  });

  /** A checkout with a launcher, a main that prints its arguments, and an npm that installs a Node and writes down its call. */
  function checkout() {
    const dir = folder();
    for (const name of ["bin", "tools", "fake-bin", "apps/cli/src"]) mkdirSync(join(dir, name), { recursive: true });
    copyFileSync(join(root, "bin/reprise"), join(dir, "bin/reprise"));
    copyFileSync(join(root, "tools/installed.mjs"), join(dir, "tools/installed.mjs"));
    writeFileSync(join(dir, "apps/cli/src/main.ts"), "console.log(JSON.stringify(process.argv.slice(2)));");
    writeFileSync(join(dir, "package-lock.json"), '{"packages": {"node_modules/node": {"version": "1"}}}');
    const npm = join(dir, "fake-bin/npm");
    writeFileSync(
      npm,
      `#!/bin/sh
      echo "$@" >>calls
      echo noise
      mkdir -p node_modules/node/bin && ln -sf "${process.execPath}" node_modules/node/bin/node && cp package-lock.json node_modules/.package-lock.json
    `,
    );
    chmodSync(npm, 0o755);
    const pids: number[] = [];
    const launch = (...args: string[]) =>
      run(join(dir, "bin/reprise"), args, {
        env: { PATH: `${dir}/fake-bin:/usr/bin:/bin` },
        onPid: (pid) => pids.push(pid),
      });
    const calls = () =>
      existsSync(join(dir, "calls")) ? readFileSync(join(dir, "calls"), "utf8").trim().split("\n") : [];
    return { dir, launch, calls, pids };
  }

  test("brings missing packages once, says so on stderr, and passes every argument on", async () => {
    const { launch, calls } = checkout();
    const ended = await launch("jobs", "a b", "*");
    expect([ended.code, ended.out]).toEqual([0, '["jobs","a b","*"]\n']);
    expect(ended.err).toContain("installing packages (npm ci)");
    expect(await launch()).toEqual({ code: 0, out: "[]\n", err: "" });
    expect(calls()).toEqual(["ci --legacy-peer-deps --no-audit --no-fund --loglevel=error"]);
  });

  test("finds nothing missing once npm has brought what the lock says", async () => {
    const { dir } = checkout();
    mkdirSync(join(dir, "node_modules/node/bin"), { recursive: true });
    writeFileSync(join(dir, "node_modules/node/bin/node"), "");
    const [node, beside] = [{ version: "1" }, { version: "2", peer: true }];
    const packages = (all: object) => JSON.stringify({ packages: all });
    writeFileSync(
      join(dir, "package-lock.json"),
      packages({ "node_modules/node": node, "node_modules/beside": beside }),
    );
    writeFileSync(join(dir, "node_modules/.package-lock.json"), packages({ "node_modules/node": node }));
    const asked = (of: string) => run(process.execPath, [join(of, "tools/installed.mjs")], { cwd: "/" });
    expect((await asked(dir)).code).toBe(0);
    // Or whoever types `make` next would have everything brought again, under the feet of whatever runs.
    expect((await asked(root)).code).toBe(0);
  });

  test("brings them again when the lock file says another version, and not when only its date is new", async () => {
    const { dir, launch, calls } = checkout();
    await launch();
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(dir, "package-lock.json"), later, later);
    expect((await launch()).err).toBe("");
    writeFileSync(join(dir, "package-lock.json"), '{"packages": {"node_modules/node": {"version": "2"}}}');
    utimesSync(join(dir, "package-lock.json"), later, later);
    expect((await launch()).err).toContain("installing packages");
    expect(calls()).toHaveLength(2);
  });

  test("several at once install once", async () => {
    const { dir, launch, calls, pids } = checkout();
    // npm ends only when this file is there: until then all three have come as far as they can.
    const npm = join(dir, "fake-bin/npm");
    writeFileSync(npm, readFileSync(npm, "utf8").replace("echo noise", "until [ -e go ]; do sleep 0.01; done"));
    const all = ["1", "2", "3"].map((arg) => launch(arg));
    await expect.poll(() => pids.filter(isWaiting).length, { timeout: 10_000 }).toBe(3);
    writeFileSync(join(dir, "go"), "");
    expect((await Promise.all(all)).map(({ out }) => out)).toEqual(['["1"]\n', '["2"]\n', '["3"]\n']);
    expect(calls()).toHaveLength(1);
  });

  test("a lock left by one that was killed is taken over", async () => {
    const { dir, launch } = checkout();
    const gone = spawn(process.execPath, ["-e", ""]);
    await once(gone, "exit");
    mkdirSync(join(dir, ".installing"));
    writeFileSync(join(dir, ".installing/pid"), String(gone.pid));
    expect((await launch()).out).toBe("[]\n");
    expect(existsSync(join(dir, ".installing"))).toBe(false);
  });

  test("a failed install ends with 2 and leaves no lock", async () => {
    const { dir, launch } = checkout();
    writeFileSync(join(dir, "fake-bin/npm"), "#!/bin/sh\necho E404 >&2; exit 1");
    const ended = await launch();
    expect([ended.code, ended.out]).toEqual([2, ""]);
    expect(ended.err).toMatch(/E404\nreprise: npm ci failed in /);
    expect(existsSync(join(dir, ".installing"))).toBe(false);
  });
});

describe("the exit code", () => {
  test.each<[string, readonly string[], number, string | RegExp]>([
    ["done", ["config"], 0, ""],
    ["help", ["--help"], 0, ""],
    ["no command", [], 2, "Usage: reprise"],
    ["an unknown command", ["jbos"], 2, 'there is no command "jbos"\n  Did you mean `reprise jobs`?'],
    ["help for an unknown command", ["jbos", "--help"], 2, "Did you mean `reprise jobs`?"],
    ["help for an unknown one below another", ["token", "crate", "--help"], 2, "Did you mean `reprise token create`?"],
    ["help for a node of any name", ["nodes", "show", "--help"], 0, ""],
    ["an unknown flag", ["up", "--bogus"], 2, "unknown option '--bogus'"],
    [
      "a bad value",
      ["up", "--http-port", "eighty"],
      2,
      "http_port = eighty (from the flag --http-port): expected a whole number 0–65535",
    ],
    ["acting nowhere", ["up", "--act"], 2, "--partitions a,b"],
    ["an unknown flag of the demo", ["demo", "--bogus"], 2, "unknown option '--bogus'"],
    ["a fault that there is not", ["demo", "--fault", "fire"], 2, '--fault: "fire" is not a fault'],
    ["nothing listens", ["jobs", "--url", "http://127.0.0.1:1"], 1, "nothing listens there"],
    ["a mistyped variable is warned of", ["config"], 0, "did you mean REPRISE_HTTP_PORT?"],
  ])("%s", async (what, args, code, err) => {
    const ended = await reprise(args, what.includes("variable") ? { REPRISE_HTTP_PROT: "1" } : {});
    expect(ended.code).toBe(code);
    expect(ended.err).toMatch(err === "" ? /^$/ : err);
    if (code !== 0) expect(ended.out).toBe("");
  });
});

describe("what is loaded", () => {
  const reserved = /packages\/slurm-lab\/|\/sim\/|\/fake\/|\/testing\//;

  /** Every module that Node loaded for this command. */
  async function loadedBy(args: readonly string[]): Promise<string[]> {
    const list = join(folder(), "loaded");
    const hook = `import { registerHooks } from "node:module"; import { appendFileSync } from "node:fs";
      registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + "\\n"); return next(url, context); } });`;
    await run(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, main, ...args]);
    return readFileSync(list, "utf8").split("\n");
  }

  test.each([
    ["--version"],
    ["config"],
    ["jobs", "--url", "http://127.0.0.1:1"],
    ["up", "--scheduler", "nowhere"],
    ["demo", "--help"],
    ["lab", "--help"],
  ])("%s %s loads nothing of the lab or of a simulator", async (...args) => {
    const loaded = await loadedBy(args.filter((arg) => arg !== undefined));
    expect(loaded.some((url) => url.endsWith("/cli/src/main.ts"))).toBe(true);
    expect(loaded.filter((url) => reserved.test(url))).toEqual([]);
  });

  test("reading a job loads neither the configuration's libraries nor a server", async () => {
    const loaded = await loadedBy(["explain", "1", "--url", "http://127.0.0.1:1"]);
    expect(loaded.filter((url) => /node_modules\/(zod|yaml|pino)\/|apps\/(server|sac|watcher)\//.test(url))).toEqual(
      [],
    );
  });

  test("no file that `up` or one of its parts can come to load is of the lab or of a simulator", () => {
    const seen = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file) || !existsSync(file)) return;
      seen.add(file);
      const text = readFileSync(file, "utf8");
      for (const [, name = ""] of text.matchAll(
        /(?:^import (?!type )[^;]*?|^export [^;]*? from |import\()"([^"]+)"/gms,
      )) {
        if (name.startsWith(".")) visit(resolve(dirname(file), name));
        const [, workspace, path] = /^@reprise\/([\w-]+)\/(.+)$/.exec(name) ?? [];
        if (workspace !== undefined && path !== undefined)
          visit(realpathSync(join(root, "node_modules/@reprise", workspace)) + `/src/${path}`);
      }
    };
    for (const command of ["up", "part"]) visit(join(root, `apps/cli/src/commands/${command}.ts`));
    expect(
      [...seen].filter((file) => file.endsWith("/server/src/main.ts") || file.endsWith("/controller.main.ts")),
    ).toHaveLength(2);
    expect([...seen].filter((file) => reserved.test(file))).toEqual([]);
  });
});
