/**
 * Goal    a flag wins over a variable, a variable over the file, the file over the default; each value knows its origin; and
 *         every mistake is named with its key, its value, its place and what was expected.
 * Method  a small table of settings; the messages are compared whole, since they are what a person gets.
 */
import { describe, expect, test } from "vitest";
import { ConfigError, type ConfigSources, flagName, resolveConfig, showValue } from "./config.ts";
import {
  address,
  choice,
  duration,
  names,
  optional,
  path,
  paths,
  showDuration,
  text,
  wholeNumber,
  yesNo,
} from "./setting.ts";

const settings = {
  httpPort: { doc: "", type: wholeNumber(0, 65_535), default: 8080 },
  data: { doc: "", type: path(), default: "data" },
  insecure: { doc: "", type: yesNo(), default: false, variables: ["HEIMDALL_INSECURE"] },
  mode: { doc: "", type: choice("observe", "act"), default: "observe" as const },
  partitions: { doc: "", type: names("a list of partition names", /^\w+$/), default: [] },
  failOpenAfter: { doc: "", type: duration(1_000, 3_600_000), default: 180_000 },
  databaseUrl: {
    doc: "",
    type: optional(text("postgres://…")),
    default: undefined,
    variables: ["DATABASE_URL"],
    isSecret: true,
  },
  server: { doc: "", type: optional(address()), default: undefined },
  signatureDirs: { doc: "", type: paths(), default: [] },
} as const;

const resolve = (sources: Partial<ConfigSources> = {}) =>
  resolveConfig(settings, { variables: {}, flags: {}, workDir: "/here", ...sources });
const file = (text: string) => ({ file: { path: "/etc/reprise.yaml", text } });
const flag = (name: string, value: unknown) => ({ name, value });

function problemsOf(sources: Partial<ConfigSources>): readonly string[] {
  try {
    resolve(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe("precedence", () => {
  const all = {
    ...file("http_port: 1"),
    variables: { REPRISE_HTTP_PORT: "2" },
    flags: { httpPort: flag("--http-port", "3") },
  };

  test.each([
    ["nothing given", {}, 8080, { kind: "default" }],
    ["the file", { file: all.file }, 1, { kind: "file", path: "/etc/reprise.yaml", line: 1 }],
    [
      "file and variable",
      { file: all.file, variables: all.variables },
      2,
      { kind: "variable", name: "REPRISE_HTTP_PORT" },
    ],
    ["all three", all, 3, { kind: "flag", name: "--http-port" }],
  ])("%s", (_given, sources, value, origin) => {
    const { values, origins } = resolve(sources);
    expect(values.httpPort).toBe(value);
    expect(origins.httpPort).toEqual(origin);
  });

  test("the project's own variable wins over one kept for other programs", () => {
    expect(resolve({ variables: { HEIMDALL_INSECURE: "true" } }).values.insecure).toBe(true);
    expect(resolve({ variables: { HEIMDALL_INSECURE: "true", REPRISE_INSECURE: "false" } }).values.insecure).toBe(
      false,
    );
  });

  test("an empty variable and an empty key in the file say nothing", () => {
    const { values } = resolve({ ...file("mode:\n"), variables: { REPRISE_HTTP_PORT: "" } });
    expect([values.httpPort, values.mode]).toEqual([8080, "observe"]);
  });
});

describe("values", () => {
  test("relative paths of the file count from its folder, those of flags and defaults from where the command was called", () => {
    expect(resolve(file("data: d")).values.data).toBe("/etc/d");
    expect(resolve({ flags: { data: flag("--data", "d") } }).values.data).toBe("/here/d");
    expect(resolve().values.data).toBe("/here/data");
    expect(resolve(file("signature_dirs: [a, /b]")).values.signatureDirs).toEqual(["/etc/a", "/b"]);
  });

  test("a list is a YAML list or a text with commas", () => {
    expect(resolve(file("partitions: [gpu, cpu]")).values.partitions).toEqual(["gpu", "cpu"]);
    expect(resolve({ variables: { REPRISE_PARTITIONS: "gpu, cpu," } }).values.partitions).toEqual(["gpu", "cpu"]);
  });

  test.each([
    ["500ms", undefined],
    ["10s", 10_000],
    ["3m", 180_000],
    ["0.5h", 1_800_000],
    ["180", undefined],
    [180, undefined],
    ["2h", undefined],
  ])("a time of %s", (given, ms) => {
    const sources = { flags: { failOpenAfter: flag("--fail-open-after", given) } };
    if (ms === undefined) expect(problemsOf(sources)).toHaveLength(1);
    else expect(resolve(sources).values.failOpenAfter).toBe(ms);
  });

  test("a time is shown as it can be written", () => {
    expect([250, 1_000, 90_000, 180_000, 7_200_000].map(showDuration)).toEqual(["250ms", "1s", "90s", "3m", "2h"]);
  });

  test("an address has a host and a port that can be called", () => {
    const given = ["127.0.0.1:9091", "[::1]:80", "node-1.example:65535", "9091", "host:0", "host:65536", "a b:1"];
    const accepted = given.filter((value) => problemsOf({ flags: { server: flag("--server", value) } }).length === 0);
    expect(accepted).toEqual(["127.0.0.1:9091", "[::1]:80", "node-1.example:65535"]);
  });
});

describe("mistakes", () => {
  test.each<[string, Partial<ConfigSources>, string]>([
    [
      "a flag",
      { flags: { httpPort: flag("--http-port", "eighty") } },
      "http_port = eighty (from the flag --http-port): expected a whole number 0–65535",
    ],
    [
      "a variable",
      { variables: { REPRISE_MODE: "acting" } },
      "mode = acting (from the variable REPRISE_MODE): expected one of observe, act",
    ],
    [
      "the file",
      file("# ours\nhttp_port: 70000"),
      "http_port = 70000 (from /etc/reprise.yaml:2): expected a whole number 0–65535",
    ],
    [
      "a list where a text is due",
      file("mode: [act]"),
      'mode = ["act"] (from /etc/reprise.yaml:1): expected one of observe, act',
    ],
    [
      "a mistyped key",
      file("http_prot: 80"),
      '/etc/reprise.yaml:1: unknown key "http_prot"; did you mean "http_port"?',
    ],
    [
      "a key like no other",
      file("zebra: 80"),
      '/etc/reprise.yaml:1: unknown key "zebra"; `reprise config` lists all keys',
    ],
    [
      "a key of every object",
      file("constructor: 1"),
      '/etc/reprise.yaml:1: unknown key "constructor"; `reprise config` lists all keys',
    ],
    ["a list in place of keys", file("- a"), '/etc/reprise.yaml: expected keys with values, such as "http_port: 8080"'],
  ])("in %s", (_where, sources, message) => {
    expect(problemsOf(sources)).toEqual([message]);
  });

  test("text that is not YAML, and a key given twice, are named with their line", () => {
    expect(problemsOf(file("a: [1"))[0]).toMatch(/^\/etc\/reprise\.yaml:1: this is not YAML: /);
    expect(problemsOf(file("mode: act\nmode: observe"))[0]).toMatch(
      /^\/etc\/reprise\.yaml:2: this is not YAML: .*unique/,
    );
  });

  test("all of them are said at once", () => {
    expect(problemsOf({ ...file("mode: x\nwhat: 1"), flags: { httpPort: flag("--http-port", "-1") } })).toHaveLength(3);
  });

  test("a secret is in no message, and shown without its password", () => {
    const secret = "postgres://reprise:hunter22@db/x";
    const [message = ""] = problemsOf({ variables: { DATABASE_URL: secret.repeat(40) } });
    expect(message).toContain("from the variable DATABASE_URL");
    expect(message).not.toContain("hunter22");
    expect(showValue(secret, settings.databaseUrl)).toBe("postgres://reprise:***@db/x");
    expect(showValue("hunter22", settings.databaseUrl)).toBe("***");
  });

  test("a variable that is nearly a setting's is warned of; a strange one is not", () => {
    expect(resolve({ variables: { REPRISE_HTTP_PROT: "1", REPRISE_REAL_SLURM: "1" } }).warnings).toEqual([
      "the variable REPRISE_HTTP_PROT sets nothing; did you mean REPRISE_HTTP_PORT?",
    ]);
  });
});

test("one name gives its other spellings", () => {
  expect(flagName("internalHttpPort")).toBe("--internal-http-port");
});
