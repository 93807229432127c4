/**
 * cause-class: what follows from each class of cause. The table of design §6, one row a class.
 *
 * Keeps   A new class does not compile until it has its row.
 * Source  design §6.
 */
import type { CauseClass, Domain } from "../nouns.ts";

export interface ClassRule {
  /** `bounded`: within the budgets. `once`: the same root again without progress ends it. `never`: it ends at once. */
  readonly restart: "bounded" | "once" | "never" | "leave";
  /** Which nodes the successor keeps away from. `repeated`: those that an earlier attempt of the job named for the same. */
  readonly exclude: "named" | "repeated" | "instant-repeat" | "none";
  /** Whether a restart counts against `max_requeue_times` under `charge: workload`. */
  readonly charged: boolean;
  readonly domain: Domain;
  /** For a person, after "because of". */
  readonly words: string;
}

export const causeClasses: Readonly<Record<CauseClass, ClassRule>> = {
  "hardware-node": {
    restart: "bounded",
    exclude: "named",
    charged: false,
    domain: "hardware",
    words: "failed hardware",
  },
  "hardware-unnamed": {
    restart: "bounded",
    exclude: "repeated",
    charged: false,
    domain: "hardware",
    words: "failed hardware on a node that nobody names",
  },
  "network-pair": {
    restart: "bounded",
    exclude: "repeated",
    charged: false,
    domain: "network",
    words: "a network error between nodes",
  },
  scheduler: { restart: "bounded", exclude: "named", charged: false, domain: "scheduler", words: "the scheduler" },
  "time-limit": {
    restart: "bounded",
    exclude: "none",
    charged: true,
    domain: "workload",
    words: "the time limit, with nothing new saved",
  },
  unexplained: {
    restart: "bounded",
    exclude: "instant-repeat",
    charged: true,
    domain: "unknown",
    words: "a failure that no log line explains",
  },
  "workload-transient": {
    restart: "once",
    exclude: "none",
    charged: true,
    domain: "workload",
    words: "an error of the program that may pass",
  },
  "workload-deterministic": {
    restart: "once",
    exclude: "none",
    charged: true,
    domain: "workload",
    words: "an error of the program",
  },
  "process-killed": {
    restart: "once",
    exclude: "none",
    charged: true,
    domain: "workload",
    words: "a process that was killed, mostly for want of memory",
  },
  numerics: {
    restart: "once",
    exclude: "none",
    charged: true,
    domain: "workload",
    words: "numbers that are no longer finite",
  },
  "storage-shared": {
    restart: "never",
    exclude: "none",
    charged: true,
    domain: "storage",
    words: "a full shared volume",
  },
  "storage-local": {
    restart: "bounded",
    exclude: "named",
    charged: false,
    domain: "hardware",
    words: "a full disk of one node",
  },
  hang: { restart: "bounded", exclude: "named", charged: true, domain: "unknown", words: "silence" },
  slowdown: { restart: "leave", exclude: "none", charged: true, domain: "hardware", words: "a loss of throughput" },
  teardown: {
    restart: "leave",
    exclude: "none",
    charged: false,
    domain: "unknown",
    words: "an error while ending, after success",
  },
  "never-retry": {
    restart: "never",
    exclude: "none",
    charged: true,
    domain: "workload",
    words: "an end after which the program asks not to be restarted",
  },
};
