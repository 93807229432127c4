/**
 * main: the server as a program: its store, its four listeners, its loops (decide, gates, retention, notices, traces), its end.
 *
 * Fails   before it is ready: a folder in use, a database that does not answer, a port that is taken: each named. After that
 *         every error is one request's or one pass's error.
 * Keeps   `ready` is given only when every listener listens.
 */
import { type Life, untilAborted } from "@reprise/runtime/life.ts";
import { startLoop } from "@reprise/runtime/loop.ts";
import { measuredPort } from "@reprise/runtime/measured-port.ts";
import { callBuckets, createMetrics, type Metrics, processMetrics } from "@reprise/runtime/metrics.ts";
import { otlpSender } from "@reprise/runtime/otlp.ts";
import { ensureToken } from "@reprise/runtime/token-file.ts";
import type { ServerConfig, ServerReady } from "./config.ts";
import { createCallMetrics } from "./gateway/call-metrics.ts";
import { loadCertificates } from "./gateway/certificates.ts";
import { planDoors, refuseOpenDoors, signInOf } from "./gateway/doors.ts";
import { type Listeners, openListeners } from "./gateway/listeners.ts";
import { internalServicesOf, servicesOf, signInServiceOf } from "./gateway/services.ts";
import { createTokenBook } from "./gateway/token-book.ts";
import { addAuditMetrics } from "./manager/audit/audit-metrics.ts";
import { createAuditQueue } from "./manager/audit/audit-queue.ts";
import { decideOnce } from "./manager/loops/decide-once.ts";
import { gateOnce, type Told } from "./manager/loops/gate-once.ts";
import { reachOf } from "./manager/notice/allowed-address.ts";
import { createSender } from "./manager/notice/send-notices.ts";
import { tellOnce } from "./manager/notice/tell-once.ts";
import { expireOnce } from "./manager/retention/expire-once.ts";
import { addRecordMetrics } from "./manager/record-metrics.ts";
import { openStore } from "./manager/store/open-store.ts";
import { startTraces } from "./manager/trace/start-traces.ts";

/** The slow poll is the truth; a change only wakes it. */
const decideEveryMs = 250;
/** Nobody waits for a second whether a job of hours may begin. */
const gatesEveryMs = 1_000;
/** What has stayed for months may stay a little longer. */
const expireEveryMs = 10 * 60_000;
/** Reports and decisions come first. */
const betweenBatchesMs = 1_000;
/** A person is called within a minute or so. */
const noticesEveryMs = 10_000;
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
  const sendSpans = config.tracesUrl === undefined ? undefined : await otlpSender(config.tracesUrl);
  const store = await openStore(config, life);
  const audit = createAuditQueue(store, life);
  const manager = { store, clock, site: config, audit };
  const book = createTokenBook(store, clock, log);
  const metrics = createMetrics(log, processMetrics);
  addRecordMetrics(metrics, manager);
  addAuditMetrics(metrics, audit);
  const services = [...servicesOf(manager), signInServiceOf(signInOf(config, life))];
  const internalServices = internalServicesOf(manager, book);
  const calls = createCallMetrics(metrics, clock, [...services, ...internalServices]);
  const served = { services: calls.measured(services), internalServices: calls.measured(internalServices) };
  const plans = planDoors(config, served, book, ownToken, life).map((plan) => ({
    ...calls.atTheDoor(plan),
    ...(plan.pair === "internal" ? { metrics } : {}),
  }));
  const listeners = await openListeners(plans, certificates, life, () => !signal.aborted).catch(
    async (error: unknown) => {
      await store.close();
      throw error;
    },
  );

  const told: Told = new Map();
  const pass = measuredPasses(metrics, clock, {
    decide: () => decideOnce(manager, log),
    gates: () => gateOnce(manager, told),
  });
  const loop = startLoop(life, "decide", decideEveryMs, async () => ((await pass.decide()) ? 0 : undefined));
  const gates = startLoop(life, "gates", gatesEveryMs, () => pass.gates());
  const { retained } = config;
  const expiring =
    retained &&
    startLoop(life, "retention", expireEveryMs, async () =>
      (await expireOnce(manager, retained, log)) ? betweenBatchesMs : undefined,
    );
  const { notices } = config;
  const sendNotices = notices && createSender(reachOf(notices.allow));
  const telling =
    sendNotices &&
    startLoop(life, "notices", noticesEveryMs, () => tellOnce(manager, notices.receivers, sendNotices, log));
  const tracing = sendSpans && startTraces(manager, sendSpans, metrics, life);
  const stopWaking = store.onChange(() => loop.wake());
  const reloading =
    certificates && startLoop(life, "certificates", certificatesEveryMs, async () => certificates.look());
  const drained = untilAborted(signal).then(async () => {
    await clock.sleep(config.drainNoticeMs ?? 0); // Whoever balances the load sees `/readyz` first.
    await listeners.drain();
  });
  const loops = [loop, gates, expiring, telling, tracing, reloading];
  const ended = Promise.all([...loops.map((one) => one?.ended), drained]).then(async () => {
    stopWaking();
    await audit.drain();
    await store.close();
  });
  const ready = readyOf(config, listeners.addresses);
  log.info(ready, "the server listens");
  return { ready, ended };
}

interface Passes {
  readonly decide: () => Promise<boolean>;
  readonly gates: () => Promise<void>;
}

function measuredPasses(metrics: Metrics, clock: Life["clock"], passes: Passes): Passes {
  const loops = ["decide", "gates"] as const;
  const seconds = metrics.spread({
    name: "reprise_server_pass_seconds",
    help: "Of one pass of a loop of the server; `failed`: it is tried again.",
    labels: { loop: loops, outcome: ["ok", "failed"] },
    buckets: callBuckets,
  });
  return measuredPort(passes, loops, clock, (loop, passed, answer) =>
    seconds.observe({ loop, outcome: answer === undefined ? "failed" : "ok" }, passed),
  );
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
