/** hanging-thread: real files, but for those with `hung` in their name: a call on one returns only when `gate` is 1. For tests. */
import { workerData } from "node:worker_threads";
import { createLogFiles, type LogFiles } from "../file/log-files.ts";
import { serve } from "./serve.ts";
import type { Shared } from "./shared.ts";

const { gate, ...shared } = workerData as Shared & { readonly gate: Int32Array };
const files = createLogFiles();
const hung = new Set<number>();

const pass = (hangs: boolean) => {
  while (hangs && Atomics.load(gate, 0) === 0) Atomics.wait(gate, 0, 0);
};
const hanging: LogFiles = {
  ...files,
  open(path) {
    pass(path.includes("hung"));
    const opened = files.open(path);
    if (opened.kind === "open" && path.includes("late")) hung.add(opened.file);
    return opened;
  },
  growthOf(file) {
    pass(hung.has(file));
    return files.growthOf(file);
  },
};

serve(shared, hanging);
