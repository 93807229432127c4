/**
 * Goal    flags, file and variables give the configuration that each part is started with; nothing acts unless it is told to,
 *         and what cannot work together is refused with its reason.
 * Method  a command as `main.ts` makes it, parsed; files in a private folder.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigError } from "@reprise/runtime/config.ts";
import { addConfigFlags } from "./config-flags.ts";
import { loadConfig } from "./config-load.ts";
import { type ConfigKey, keysOf, settings } from "./config-schema.ts";
import { sacConfig, serverConfig, watchdogConfig, watcherConfig } from "./config-slices.ts";
import { renderConfig, renderConfigJson } from "./render/config.ts";
import { viewOf } from "./render/view.ts";
import { fakeConsole } from "./testing/fake-console.ts";

function load(args: readonly string[], env: Readonly<Record<string, string>> = {}, keys?: readonly ConfigKey[]) {
  const command = addConfigFlags(new Command("up").exitOverride().configureOutput({ writeErr: () => {} }), keys);
  command.parse(args, { from: "user" });
  return loadConfig(command, fakeConsole(env));
}

function problemsOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  try {
    load(args, env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function configFile(text: string): string {
  const dir = mkdtempSync(join(tmpdir(), "reprise-config-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "reprise.yaml"), text);
  return join(dir, "reprise.yaml");
}

describe("what the parts are started with", () => {
  test("by default everything observes, on loopback, with one data folder", () => {
    const { values } = load([]);
    expect(serverConfig(values)).toEqual({
      dataDir: "/here/.reprise",
      http: { host: "127.0.0.1", port: 8080 },
      grpc: { host: "127.0.0.1", port: 9090 },
      internalHttp: { host: "127.0.0.1", port: 8081 },
      internalGrpc: { host: "127.0.0.1", port: 9091 },
      tokenFile: "/here/.reprise/token",
      insecure: false,
      insecureAnywhere: false,
      externalEndpoints: true,
      urlPrefix: "",
      internalUrlPrefix: "",
      rate: { perSecond: 500, burst: 1_000 },
      drainNoticeMs: 0,
      retained: { detailDays: 180, attemptDays: 730, auditDays: 730 },
      pageFolder: expect.stringMatching(/apps\/dashboard\/dist$/),
      cluster: "default",
    });
    expect(watcherConfig(values).metrics).toEqual({ host: "127.0.0.1", port: 8082 });
    expect(sacConfig(values)).toMatchObject({
      metrics: { host: "127.0.0.1", port: 8083 },
      mode: "observe",
      partitions: [],
      stateDir: "/here/.reprise/sac",
      server: "127.0.0.1:9091",
    });
    expect(watchdogConfig(values)).toMatchObject({
      metrics: { host: "127.0.0.1", port: 8084 },
      mode: "observe",
      stateDir: "/here/.reprise/sac",
      failOpenAfterMs: 180_000,
      serverGraceMs: 600_000,
    });
  });

  test("the site's own policy reaches the server, from the file by partition or from a variable as JSON", () => {
    const file = configFile("policy_caps:\n  '*': {max_requeue_times: 10}\n  debug:\n    max_requeue_times: 1\n");
    const caps = { "*": { max_requeue_times: 10 }, debug: { max_requeue_times: 1 } };
    expect(serverConfig(load(["--config", file]).values).sitePolicy).toEqual({ defaults: {}, caps });
    const { values } = load([], { REPRISE_POLICY_DEFAULTS: '{"gpu": {"charge": "workload"}}' });
    expect(serverConfig(values).sitePolicy).toEqual({ defaults: { gpu: { charge: "workload" } }, caps: {} });
    expect(problemsOf([], { REPRISE_POLICY_CAPS: '{"gpu": {"max_requeue_time": 1}}' })).toEqual([
      'policy_caps.gpu.max_requeue_time is not a known key (did you mean "max_requeue_times"?).',
    ]);
    expect(problemsOf([], { REPRISE_POLICY_CAPS: "gpu=1" })[0]).toContain("expected values by partition");
  });

  test("--act with partitions sets both switches, and says that it did", () => {
    const { values, origins } = load(["--act", "--partitions", "gpu,long"]);
    expect(sacConfig(values)).toMatchObject({ mode: "act", partitions: ["gpu", "long"], requireWatchdog: true });
    expect(watchdogConfig(values).mode).toBe("act");
    expect([origins.mode, origins.watchdogMode]).toEqual([
      { kind: "flag", name: "--act" },
      { kind: "flag", name: "--act" },
    ]);
  });

  test("an insecure server is reached without a token, and at the address that it really has", () => {
    const { values } = load(["--insecure"]);
    expect(watcherConfig(values, "127.0.0.1:4711")).toMatchObject({ server: "127.0.0.1:4711" });
    expect(watcherConfig(values)).not.toHaveProperty("tokenFile");
    expect(sacConfig(load([]).values)).toMatchObject({ tokenFile: "/here/.reprise/token" });
  });

  test("the variables of the original are honoured", () => {
    const { values } = load([], {
      HEIMDALL_URL_PREFIX: "recovery/",
      HEIMDALL_INTERNAL_URL_PREFIX: "/in/ternal",
      HEIMDALL_ENABLE_EXTERNAL_ENDPOINTS: "false",
      HEIMDALL_INSECURE: "true",
    });
    expect(serverConfig(values)).toMatchObject({
      urlPrefix: "/recovery",
      internalUrlPrefix: "/in/ternal",
      externalEndpoints: false,
      insecure: true,
    });
  });

  test("an identity provider, its roles, and where they stand", () => {
    const args = ["--oidc-issuer", "https://id.example", "--oidc-audience", "reprise,cluster"];
    const { values } = load([...args, "--oidc-roles", "sre=operator,cn=all=viewer", "--oidc-jwks", "keys.json"]);
    expect(serverConfig(values).oidc).toEqual({
      issuer: "https://id.example",
      audiences: ["reprise", "cluster"],
      jwks: "/here/keys.json",
      rolesClaim: "roles",
      roleOf: { sre: "operator", "cn=all": "viewer" },
      clockSkewMs: 60_000,
    });
    expect(serverConfig(load([]).values)).not.toHaveProperty("oidc");
  });

  test("TLS is for all listeners and for all that call them; a certificate of one's own is its own authority", () => {
    const server = ["--tls-cert", "s.pem", "--tls-key", "s.key", "--internal-client-ca", "ca.pem"];
    const { values } = load([...server, "--client-cert", "c.pem", "--client-key", "c.key"]);
    expect(serverConfig(values).tls).toEqual({
      certFile: "/here/s.pem",
      keyFile: "/here/s.key",
      clientCaFile: "/here/ca.pem",
    });
    const caller = { caFile: "/here/s.pem", certFile: "/here/c.pem", keyFile: "/here/c.key" };
    expect([sacConfig(values).tls, watcherConfig(values).tls]).toEqual([caller, caller]);
    const { values: apart } = load(["--ca-file", "site.pem", "--tls-server-name", "reprise"], {}, keysOf.sac);
    expect(sacConfig(apart).tls).toEqual({ caFile: "/here/site.pem", serverName: "reprise" });
    expect(sacConfig(load([]).values)).not.toHaveProperty("tls");
  });

  test("a switch that is on by default is turned off by its --no- flag", () => {
    expect(load([]).values.skipRequeueDelay).toBe(true);
    const { values, origins } = load(["--no-skip-requeue-delay"]);
    expect([values.skipRequeueDelay, origins.skipRequeueDelay]).toEqual([
      false,
      { kind: "flag", name: "--skip-requeue-delay" },
    ]);
  });

  test("logs of nodes are read where the site says so, in the zone that it names", () => {
    expect(watcherConfig(load([]).values).nodeLogs).toBeUndefined();
    const { nodeLogs } = watcherConfig(
      load(["--node-logs", "/var/log/%c/%N/messages*", "--node-log-zone", "Asia/Tokyo"]).values,
    );
    expect(nodeLogs).toEqual({ patterns: ["/var/log/%c/%N/messages*"], zone: "Asia/Tokyo" });
    expect(() => load(["--node-logs", "/var/log/messages"])).toThrow(/node-logs.*%N/s);
    expect(() => load(["--node-log-zone", "Middle-earth"])).toThrow(/node-log-zone.*time zone/s);
  });

  test("the built-in signatures come first", () => {
    const { signatureDirs } = watcherConfig(load(["--signature-dirs", "ours"]).values);
    expect(signatureDirs).toHaveLength(2);
    expect(signatureDirs[0]).toMatch(/\/signatures$/);
    expect(signatureDirs[1]).toBe("/here/ours");
  });

  test("a file named by REPRISE_CONFIG counts like one given by --config, and the flag wins", () => {
    const [ours, theirs] = [configFile("http_port: 1\ngrpc_port: 11"), configFile("http_port: 2")];
    expect(load([], { REPRISE_CONFIG: ours }).values.httpPort).toBe(1);
    const both = load(["--config", theirs, "--grpc-port", "12"], { REPRISE_CONFIG: ours });
    expect([both.values.httpPort, both.values.grpcPort]).toEqual([2, 12]);
  });

  test("one file serves all parts: the settings of the others are no error", () => {
    const file = configFile("mode: act\nwatchdog_mode: act\npartitions: [gpu]\nhttp_port: 80");
    expect(load(["--config", file], {}, keysOf.watcher).values.mode).toBe("act");
  });
});

describe("what cannot work together", () => {
  test.each<[string, readonly string[], string]>([
    [
      "acting nowhere",
      ["--act"],
      "mode = act (from the flag --act): expected `partitions` beside it (--partitions a,b): SAC acts only in partitions that are listed",
    ],
    [
      "acting beside a watchdog that may not",
      ["--mode", "act", "--partitions", "gpu"],
      "watchdog_mode = observe (from the default): expected act, because mode is act: SAC acts only beside a watchdog that may release what it holds (--act sets both)",
    ],
    [
      "asking nobody, everywhere",
      ["--insecure", "--host", "0.0.0.0"],
      "host = 0.0.0.0 (from the flag --host): expected a loopback address such as 127.0.0.1, because insecure is true: nobody would be asked for a token",
    ],
    [
      "a JWT for anybody",
      ["--oidc-issuer", "https://id.example"],
      "oidc_audience = (none) (from the default): expected at least one audience beside oidc_issuer: a JWT for others is not for us",
    ],
    [
      "roles of nobody's JWTs",
      ["--oidc-roles", "sre=operator"],
      "oidc_issuer = (not set) (from the default): expected an issuer: without one no JWT is taken",
    ],
    [
      "keys over a wire that anybody may read",
      ["--oidc-issuer", "http://id.example", "--oidc-audience", "reprise"],
      "oidc_issuer = http://id.example (from the flag --oidc-issuer): expected https://… (http only on a loopback address)",
    ],
    [
      "a certificate without its key",
      ["--tls-cert", "s.pem"],
      "tls_key = (not set) (from the default): expected the key of tls_cert",
    ],
    [
      "asking callers for a certificate in cleartext",
      ["--internal-client-ca", "ca.pem"],
      "tls_cert = (not set) (from the default): expected a certificate of the server: callers show theirs only by TLS",
    ],
    [
      "asking nobody, and asking an identity provider",
      ["--insecure", "--oidc-issuer", "https://id.example", "--oidc-audience", "reprise"],
      "oidc_issuer = https://id.example (from the flag --oidc-issuer): expected nothing, because insecure is true: nobody would be asked for a JWT",
    ],
    [
      "one port for two",
      ["--http-port", "9090"],
      "grpc_port = 9090 (from the default): expected a port of its own: http_port has the same",
    ],
  ])("%s", (_what, args, message) => {
    expect(problemsOf(args)).toEqual([message]);
  });

  test("asking nobody everywhere takes a second word", () => {
    expect(problemsOf(["--insecure", "--host", "0.0.0.0", "--insecure-anywhere"])).toEqual([]);
  });

  test("port 0 may be given for all: each gets its own", () => {
    expect(
      problemsOf(["--http-port", "0", "--grpc-port", "0", "--internal-http-port", "0", "--internal-grpc-port", "0"]),
    ).toEqual([]);
  });

  test("a file that is not there is said with its path", () => {
    expect(() => load(["--config", "none.yaml"])).toThrow("/here/none.yaml");
  });
});

describe("reprise config", () => {
  test("every key is printed with its value and origin, within 80 columns", async () => {
    const console = fakeConsole();
    const resolved = load(["--data", "/data", "--act", "--partitions", "gpu"], {
      DATABASE_URL: "postgres://reprise:hunter22@db/reprise",
      REPRISE_FAIL_OPEN_AFTER: "90s",
      REPRISE_WATCHER_ID: "w1",
      REPRISE_NODE_LOG_ZONE: "UTC",
    });
    await expect(renderConfig(resolved, viewOf(console))).toMatchFileSnapshot("render/testdata/config.txt");
  });

  test("as JSON it also says what each key means, and no secret", () => {
    const shown = renderConfigJson(load([], { DATABASE_URL: "postgres://reprise:hunter22@db/reprise" }));
    const keys = JSON.parse(shown) as Record<string, { value: string; origin: object; doc: string }>;
    expect(Object.keys(keys)).toHaveLength(Object.keys(settings).length);
    expect(keys["database_url"]).toMatchObject({
      value: "postgres://reprise:***@db/reprise",
      origin: { kind: "variable", name: "DATABASE_URL" },
    });
    expect(shown).not.toContain("hunter22");
  });

  test("a secret has no flag: the process list would show it", () => {
    expect(() => load(["--database-url", "postgres://x"])).toThrow("unknown option");
  });
});
