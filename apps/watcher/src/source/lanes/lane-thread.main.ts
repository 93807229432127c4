/** lane-thread: a thread that reads real files for the watcher, so that a call that never returns holds only this thread. */
import { workerData } from "node:worker_threads";
import { createLogFiles } from "../file/log-files.ts";
import { serve } from "./serve.ts";
import type { Shared } from "./shared.ts";

serve(workerData as Shared, createLogFiles());
