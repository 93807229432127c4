/**
 * main: the watcher as a program.
 *
 * Takes   where the server is, who this watcher is, and the folders with signatures.
 * Gives   returns when its life has ended and what was read is reported.
 * Fails   throws at once for signatures that cannot be read; afterwards a server that is away is waited for.
 */
import type { Life } from "@reprise/runtime/life.ts";
import { createMetrics, processMetrics } from "@reprise/runtime/metrics.ts";
import { serveMetrics } from "@reprise/runtime/metrics-listener.ts";
import type { WatcherConfig } from "./config.ts";
import { Courses, startCourseReporter } from "./course/courses.ts";
import { createMatcher } from "./match/matcher.ts";
import { loadSignatures } from "./match/pack-files.ts";
import { runWatcher } from "./run-watcher.ts";
import { createServerClient } from "./server-client.ts";
import { createFileSource } from "./source/lanes/lane-source.ts";
import { createWatcher } from "./watch-once.ts";
import { addWatcherMetrics, measuredServer } from "./watcher-metrics.ts";

export async function main(config: WatcherConfig, life: Life): Promise<void> {
  const signatures = loadSignatures(config.signatureDirs);
  const metrics = createMetrics(life.log, processMetrics);
  const server = measuredServer(createServerClient(config, life.clock), metrics, life.clock);
  const source = createFileSource(life.clock);
  const courses = new Courses();
  const watcher = createWatcher({
    watcherId: config.watcherId,
    targetsMax: config.targetsMax,
    server,
    source,
    matcher: createMatcher(signatures),
    slowdownLastsMs: config.slowdownLastsMs,
    nodeLogs: config.nodeLogs && { ...config.nodeLogs, nodesMax: config.targetsMax },
    courses,
    clock: life.clock,
    log: life.log,
  });
  life.log.info({ signatures: signatures.length, server: config.server }, "the watcher reads logs and never acts");
  addWatcherMetrics(metrics, () => watcher.standing());
  const listener = config.metrics && serveMetrics(metrics, config.metrics, life);
  const telling = startCourseReporter(courses, { watcherId: config.watcherId, server, source, life });
  await runWatcher(watcher, server, life);
  await telling;
  listener?.close();
  server.close();
  if (!source.close()) return;
  life.log.warn({}, "a file system hangs and holds a thread: the process cannot end but by a kill");
  process.kill(process.pid, "SIGKILL");
}
