/**
 * Goal    a listing is read to its end, and every way in which a server cannot be asked says what to do about it.
 * Method  real HTTP on a loopback port, answered by the test; the commands as `main.ts` makes them.
 */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, onTestFinished, test } from "vitest";
import { define as defineAdvice } from "./commands/advice.ts";
import { define as defineExplain } from "./commands/explain.ts";
import { define as defineJobs } from "./commands/jobs.ts";
import { Failure } from "./failure.ts";
import { fakeConsole } from "./testing/fake-console.ts";

type Answer = readonly [status: number, body: unknown];

async function serverWorld(answer: (url: URL, request: IncomingMessage) => Answer) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://x");
    asked.push(`${url.pathname}${url.search}`);
    const [status, body] = answer(url, request);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "reprise-client-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

const defines = { jobs: defineJobs, advice: defineAdvice, explain: defineExplain };

async function call(
  args: readonly [keyof typeof defines, ...string[]],
  env: Readonly<Record<string, string>> = {},
  workDir = "/here",
) {
  const console = fakeConsole(env, workDir);
  const [name, ...rest] = args;
  const command = new Command(name).exitOverride().configureOutput({ writeErr: () => {} });
  defines[name](command, console);
  await command.parseAsync(rest, { from: "user" });
  return console.outText();
}

async function failureOf(...given: Parameters<typeof call>): Promise<Failure> {
  const error: unknown = await call(...given).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof Failure) return error;
  throw error instanceof Error ? error : new Error("it did not fail");
}

describe("reading", () => {
  test("a listing is followed page by page, and the newest rows are shown", async () => {
    const { asked, url } = await serverWorld((at) => {
      const from = Number(at.searchParams.get("pageToken") ?? 0);
      const jobs = [0, 1].map((i) => ({ jobId: String(100 + from + i), state: "JOB_STATUS_RUNNING" }));
      return [200, { jobs, count: 2, nextPageToken: from < 4 ? String(from + 2) : "" }];
    });
    const shown = JSON.parse(await call(["jobs", "--url", url, "--json", "--limit", "3"])) as {
      jobs: { jobId: string }[];
      leftOut: number;
    };
    expect(shown.jobs.map(({ jobId }) => jobId)).toEqual(["103", "104", "105"]);
    expect(shown.leftOut).toBe(3);
    expect(asked).toEqual(["/v1/jobs?limit=250", "/v1/jobs?limit=250&pageToken=2", "/v1/jobs?limit=250&pageToken=4"]);
  });

  test("the filters are the server's", async () => {
    const { asked, url } = await serverWorld(() => [200, { jobs: [] }]);
    await call(["jobs", "--url", url, "--active", "--workflow", "a/b c"]);
    await call(["jobs", "show", "95_1", "--url", url]).catch(() => {});
    await call(["advice", "--url", url, "--active"]);
    await call(["explain", "95_1", "--attempt", "2", "--url", `${url}/prefix/`]);
    expect(asked).toEqual([
      "/v1/jobs?limit=250&completedJobs=false&workflowIds=a%2Fb+c",
      "/v1/jobs/by-scheduler-id/95_1?limit=250",
      "/v1/advice?limit=250&onlyActive=true",
      "/reprise/v1/mode", // What holds the advice back.
      "/prefix/reprise/v1/jobs/95_1/explain?attemptIndex=2",
    ]);
  });

  test("what is shown of one job is what was asked for, in words and in JSON", async () => {
    const { url } = await serverWorld(() => [200, { jobs: [{ jobId: "7", state: "JOB_STATUS_FAILED" }], count: 1 }]);
    expect(await call(["jobs", "show", "7"], { REPRISE_URL: url })).toContain("Job 7, attempt 0 · FAILED");
    expect(JSON.parse(await call(["jobs", "show", "7", "--json"], { REPRISE_URL: url }))).toMatchObject({ count: 1 });
    expect(JSON.parse(await call(["jobs", "--json", "show", "7"], { REPRISE_URL: url }))).toMatchObject({ count: 1 });
  });
});

describe("the token", () => {
  const asked = (): { seen: (string | undefined)[]; answer: Parameters<typeof serverWorld>[0] } => {
    const seen: (string | undefined)[] = [];
    return { seen, answer: (_url, request) => (seen.push(request.headers.authorization), [200, {}]) };
  };

  test("comes from the flag, else from the variable, else from the data folder, else there is none", async () => {
    const dir = folder();
    const token = (name: string) => {
      writeFileSync(join(dir, name), `${name}-0123456789abcdef\n`, { mode: 0o600 });
      return join(dir, name);
    };
    const { seen, answer } = asked();
    const { url } = await serverWorld(answer);
    const env = { REPRISE_URL: url, REPRISE_TOKEN_FILE: token("variable") };
    await call(["explain", "1", "--token-file", token("flag")], env);
    await call(["explain", "1"], env);
    await call(["explain", "1"], { REPRISE_URL: url, REPRISE_DATA: dir });
    token("token");
    await call(["explain", "1"], { REPRISE_URL: url, REPRISE_DATA: dir });
    expect(seen).toEqual([
      "Bearer flag-0123456789abcdef",
      "Bearer variable-0123456789abcdef",
      undefined,
      "Bearer token-0123456789abcdef",
    ]);
  });

  test("that is named and missing is said, before anything is asked", async () => {
    await expect(call(["explain", "1", "--token-file", "none"])).rejects.toThrow("there is no token file /here/none");
  });
});

describe("the server of this machine", () => {
  test("is found where its file says, and where its variables say; an address that is given wins", async () => {
    const dir = folder();
    writeFileSync(join(dir, "mine"), "mine-0123456789abcdef\n", { mode: 0o600 });
    const tokens: (string | undefined)[] = [];
    const { url, asked } = await serverWorld((_url, request) => [
      200,
      (tokens.push(request.headers.authorization), {}),
    ]);
    const { port } = new URL(url);
    const file = join(dir, "reprise.yaml");
    writeFileSync(file, `http_port: ${port}\nurl_prefix: /recovery\nhost: 0.0.0.0\ntoken_file: mine\n`);
    await call(["explain", "1"], { REPRISE_CONFIG: file });
    await call(["explain", "2"], { REPRISE_HTTP_PORT: port, REPRISE_DATA: dir });
    await call(["explain", "3", "--url", url], { REPRISE_CONFIG: file });
    expect(asked).toEqual([
      "/recovery/reprise/v1/jobs/1/explain",
      "/reprise/v1/jobs/2/explain",
      "/reprise/v1/jobs/3/explain",
    ]);
    expect(tokens).toEqual(["Bearer mine-0123456789abcdef", undefined, "Bearer mine-0123456789abcdef"]);
  });

  test("and where they name no token, with the one in their data folder", async () => {
    const tokens: (string | undefined)[] = [];
    const { url } = await serverWorld((_url, request) => [200, (tokens.push(request.headers.authorization), {})]);
    const [data, file] = [folder(), join(folder(), "reprise.yaml")];
    writeFileSync(join(data, "token"), "its-own-0123456789\n", { mode: 0o600 });
    writeFileSync(file, `http_port: ${new URL(url).port}\ndata: ${data}\n`);
    await call(["explain", "1"], { REPRISE_CONFIG: file });
    expect(tokens).toEqual(["Bearer its-own-0123456789"]);
  });

  test("a mistake in its file is said", async () => {
    const file = join(folder(), "reprise.yaml");
    writeFileSync(file, "http_prt: 8090\n");
    await expect(call(["jobs"], { REPRISE_CONFIG: file })).rejects.toThrow(/http_prt.*http_port/s);
  });
});

describe("what goes wrong", () => {
  test("nothing listens", async () => {
    const failure = await failureOf(["jobs", "--url", "http://127.0.0.1:1"]);
    expect(failure.message).toBe("the server at http://127.0.0.1:1/ cannot be reached: nothing listens there");
    expect(failure.hints.join(" ")).toContain("`reprise up` starts one");
  });

  test("no token given, and a wrong one", async () => {
    const { url } = await serverWorld(() => [401, { code: 16, message: "who are you" }]);
    expect((await failureOf(["jobs", "--url", url])).message).toContain("it asks for a token, and none was given");
    const file = join(folder(), "t");
    writeFileSync(file, "0123456789abcdef\n", { mode: 0o600 });
    const failure = await failureOf(["jobs", "--url", url, "--token-file", file]);
    expect(failure.message).toContain(`it refuses the token in ${file}`);
    expect(failure.hints.join(" ")).toContain("--token-file or REPRISE_TOKEN_FILE");
  });

  test("the job is not known", async () => {
    const { url } = await serverWorld((at) =>
      at.pathname.endsWith("explain") ? [404, { code: 5, message: "no job 99999" }] : [200, {}],
    );
    expect(await failureOf(["explain", "99999", "--url", url])).toMatchObject({ message: "no job 99999", exitCode: 1 });
    expect((await failureOf(["jobs", "show", "99999", "--url", url])).message).toBe("the server knows no job 99999");
  });

  test.each<[string, Answer, string]>([
    ["an error of the server", [500, { code: 13, message: "internal error" }], "answered 500: internal error"],
    ["something that is not built yet", [501, { code: 12, message: "no" }], "cannot answer that yet"],
    ["a page of something else", [200, "<html>"], "but not as a Reprise server does"],
    ["a redirect", [302, ""], "answered 302"],
  ])("%s", async (_what, answer, message) => {
    const { url } = await serverWorld(() => answer);
    expect((await failureOf(["explain", "1", "--url", url])).message).toContain(message);
  });

  test("an address that is none", async () => {
    expect(await failureOf(["jobs", "--url", "localhost:8080"])).toMatchObject({ exitCode: 2 });
  });
});
