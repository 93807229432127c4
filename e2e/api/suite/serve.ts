/** serve: the server that the exchanges are sent to: a running one, or one of our own on free ports in a folder of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@reprise/runtime/clock.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import { startServer } from "@reprise/server/main.ts";

export interface Listeners {
  /** E.g. `http://127.0.0.1:8080`. */
  readonly http: string;
  /** `host:port`. */
  readonly grpc?: string;
}

export interface Served {
  readonly external: Listeners;
  /** Only of one of our own. */
  readonly internal?: Listeners;
  readonly token?: string;
  stop(): Promise<void>;
}

const { REPRISE_URL: url, REPRISE_GRPC: address, REPRISE_TOKEN: token } = environment();
/** Whether `serve` starts one of our own. */
export const isOurs = url === undefined;
export const hasGrpc = isOurs || address !== undefined;

export async function serve(): Promise<Served> {
  if (url === undefined) return await serveOurs();
  const external = { http: url.replace(/\/$/, ""), ...(address === undefined ? {} : { grpc: address }) };
  return { external, ...(token === undefined ? {} : { token }), stop: async () => undefined };
}

async function serveOurs(): Promise<Served> {
  const dataDir = mkdtempSync(join(tmpdir(), "api-"));
  const end = new AbortController();
  const free = { host: "127.0.0.1", port: 0 };
  const listeners = { http: free, grpc: free, internalHttp: free, internalGrpc: free };
  const tokenFile = join(dataDir, "token");
  const { ready, ended } = await startServer(
    { dataDir, ...listeners, tokenFile, insecure: false, cluster: "default" },
    { ...fakeLife(), clock: hurried(3), signal: end.signal },
  );
  return {
    external: { http: ready.http, grpc: ready.grpc },
    internal: { http: ready.internalHttp, grpc: ready.internalGrpc },
    token: readFileSync(tokenFile, "utf8").trim(),
    async stop() {
      end.abort();
      await ended;
      rmSync(dataDir, { recursive: true });
    },
  };
}

/** The seconds that a decision waits for a quiet log are not what is tested here. */
function hurried(times: number): Clock {
  const begun = systemClock.now();
  return {
    now: () => Math.floor(begun + (systemClock.now() - begun) * times),
    elapsed: () => systemClock.elapsed() * times,
    sleep: (ms, signal) => systemClock.sleep(ms / times, signal),
  };
}
