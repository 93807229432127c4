/** serve: the server that the exchanges are sent to: a running one, or one of our own on free ports in a folder of its own. */
import { type Clock, systemClock } from "@reprise/runtime/clock.ts";
import { environment } from "@reprise/runtime/environment.ts";
import { startAlone } from "@reprise/server/testing/alone.ts";

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

const { REPRISE_URL: url, REPRISE_GRPC: address, REPRISE_TOKEN: given } = environment();
/** Whether `serve` starts one of our own. */
export const isOurs = url === undefined;
export const hasGrpc = isOurs || address !== undefined;

export async function serve(): Promise<Served> {
  if (url === undefined) return await serveOurs();
  const external = { http: url.replace(/\/$/, ""), ...(address === undefined ? {} : { grpc: address }) };
  return { external, ...(given === undefined ? {} : { token: given }), stop: async () => undefined };
}

async function serveOurs(): Promise<Served> {
  const { ready, token, stop } = await startAlone({}, hurried(3));
  return {
    external: { http: ready.http, grpc: ready.grpc },
    internal: { http: ready.internalHttp, grpc: ready.internalGrpc },
    token,
    stop,
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
