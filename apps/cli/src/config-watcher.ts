/** config-watcher: what a watcher reads. A part of `config-schema.ts`. */
import { limits } from "@reprise/core/limits.ts";
import type { Settings } from "@reprise/runtime/config.ts";
import { hostName, timeZone } from "@reprise/runtime/environment.ts";
import * as type from "@reprise/runtime/setting.ts";

export const watcherSettings = {
  watcherId: {
    doc: "Name of this watcher: stable over its restarts, different for each.",
    type: type.text(),
    default: hostName(),
  },
  signatureDirs: { doc: "Folders with log signatures beside the built-in ones.", type: type.paths(), default: [] },
  nodeLogs: {
    doc: "Where nodes' own logs lie: %N is the node, %n its short name, %c the cluster, * any text. Not set: they are not read.",
    type: type.paths("a list of paths with %N or %n for the node", /^.{0,4096}%[Nn].{0,4096}$/),
    default: [],
  },
  nodeLogZone: {
    doc: "Time zone of times in nodes' logs that show none. Not set: that of the watcher's host.",
    type: type.timeZone(),
    default: timeZone(),
  },
  slowdownAfter: {
    doc: "How long a loss of throughput must have lasted before it is told.",
    type: type.duration(1_000, 24 * 3_600_000),
    default: limits.slowdownLastsMs,
  },
  targetsMax: {
    doc: "Jobs whose logs one watcher reads at most, and as many nodes.",
    type: type.wholeNumber(1, 100_000),
    default: 5_000,
  },
} as const satisfies Settings;
