/**
 * alone: a whole server on its embedded database and free ports of loopback. For tests that call it as a caller would.
 *
 * Gives   how to reach it, its owner's token, and how to end it; `stop` also removes the folder that was made for it.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@reprise/runtime/clock.ts";
import { fakeLife } from "@reprise/runtime/testing/fake-life.ts";
import type { ServerConfig, ServerReady } from "../config.ts";
import { startServer } from "../main.ts";

export interface Alone {
  readonly config: ServerConfig;
  readonly ready: ServerReady;
  readonly token: string;
  /** Tells it to end. */
  end(): void;
  /** Resolves when it has. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

const free = { host: "127.0.0.1", port: 0 };

/** @param more `dataDir`: a folder of the caller's, which stays. */
export async function startAlone(more: Partial<ServerConfig> = {}, clock: Clock = systemClock): Promise<Alone> {
  const dataDir = more.dataDir ?? mkdtempSync(join(tmpdir(), "server-"));
  const listeners = { http: free, grpc: free, internalHttp: free, internalGrpc: free };
  const tokenFile = join(dataDir, "token");
  const config = { ...listeners, tokenFile, insecure: false, cluster: "default", ...more, dataDir };
  const life = new AbortController();
  const { ready, ended } = await startServer(config, { ...fakeLife(), clock, signal: life.signal });
  return {
    config,
    ready,
    token: readFileSync(ready.tokenFile, "utf8").trim(),
    end: () => life.abort(),
    ended,
    async stop() {
      life.abort();
      await ended;
      if (more.dataDir === undefined) rmSync(dataDir, { recursive: true });
    },
  };
}
