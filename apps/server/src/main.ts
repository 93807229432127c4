/**
 * main: the server as a program: its store, its four listeners, its loops (decide, gates, retention), its end.
 *
 * Fails   before it is ready: a folder in use, a database that does not answer, a port that is taken: each named. After that
 *         every error is one request's or one pass's error.
 * Keeps   `ready` is given only when every listener listens.
 */
import { type Life, untilAborted } from "@reprise/runtime/life.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import { ensureToken } from "@reprise/runtime/token-file.ts";
import type { ServerConfig, ServerReady } from "./config.ts";
import { loadCertificates } from "./gateway/certificates.ts";
import { planDoors, refuseOpenDoors } from "./gateway/doors.ts";
import { type Listeners, openListeners } from "./gateway/listeners.ts";
import { internalServicesOf, servicesOf } from "./gateway/services.ts";
import { createTokenBook } from "./gateway/token-book.ts";
import { createAuditQueue } from "./manager/audit/audit-queue.ts";
import { decideOnce } from "./manager/loops/decide-once.ts";
import { gateOnce, type Told } from "./manager/loops/gate-once.ts";
import { expireOnce } from "./manager/retention/expire-once.ts";
import { openStore } from "./manager/store/open-store.ts";

/** The slow poll is the truth; a change only wakes it. */
const decideEveryMs = 250;
/** Nobody waits for a second whether a job of hours may begin. */
const gatesEveryMs = 1_000;
/** What has stayed for months may stay a little longer. */
const expireEveryMs = 10 * 60_000;
/** Reports and decisions come first. */
const betweenBatchesMs = 1_000;
/** How often the files of the certificates are looked at. */
const certificatesEveryMs = 5_000;

export async function startServer(
  config: ServerConfig,
  life: Life,
): Promise<{ readonly ready: ServerReady; readonly ended: Promise<void> }> {
  const { clock, log, signal } = life;
  refuseOpenDoors(config);
  const certificates = config.tls === undefined ? undefined : loadCertificates(config.tls, log);
  const ownToken = config.insecure ? undefined : ensureToken(config.tokenFile);
  const store = await openStore(config, life);
  const audit = createAuditQueue(store, life);
  const manager = { store, clock, site: config, audit };
  const book = createTokenBook(store, clock, log);
  const served = { services: servicesOf(manager), internalServices: internalServicesOf(manager, book) };
  const plans = planDoors(config, served, book, ownToken, life);
  const listeners = await openListeners(plans, certificates, life, () => !signal.aborted).catch(
    async (error: unknown) => {
      await store.close();
      throw error;
    },
  );

  const loop = startLoop(life, "decide", decideEveryMs, async () => ((await decideOnce(manager, log)) ? 0 : undefined));
  const told: Told = new Map();
  const gates = startLoop(life, "gates", gatesEveryMs, () => gateOnce(manager, told));
  const { retained } = config;
  const expiring =
    retained &&
    startLoop(life, "retention", expireEveryMs, async () =>
      (await expireOnce(manager, retained, log)) ? betweenBatchesMs : undefined,
    );
  const stopWaking = store.onChange(() => loop.wake());
  const reloading =
    certificates && startLoop(life, "certificates", certificatesEveryMs, async () => certificates.look());
  const drained = untilAborted(signal).then(async () => {
    await clock.sleep(config.drainNoticeMs ?? 0); // Whoever balances the load sees `/readyz` first.
    await listeners.drain();
  });
  const ended = Promise.all([loop.ended, gates.ended, expiring?.ended, reloading?.ended, drained]).then(async () => {
    stopWaking();
    await audit.drain();
    await store.close();
  });
  const ready = readyOf(config, listeners.addresses);
  log.info(ready, "the server listens");
  return { ready, ended };
}

function readyOf({ insecure, tokenFile }: ServerConfig, addresses: Listeners["addresses"]): ServerReady {
  const off = { http: "", grpc: "" };
  const [external, internal] = addresses.length === 1 ? [off, addresses[0]] : addresses;
  return {
    ...(external ?? off),
    internalHttp: internal?.http ?? "",
    internalGrpc: internal?.grpc ?? "",
    tokenFile: insecure ? "" : tokenFile,
  };
}
