/**
 * explained: what the real server says at the end of a story, recorded for those who show it.
 *
 * Gives   the answer of `Explain` as JSON; and where its recording is: the command line's own tests show those
 *         (`apps/cli/src/render/stories.test.ts`), so that nobody makes such an answer up.
 */
import { fileURLToPath } from "node:url";
import { create } from "@bufbuild/protobuf";
import { ExplainRequestSchema, ExplainResponseSchema } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { writeJson } from "@reprise/protocol/transcode.ts";
import { recoveryRoutes } from "@reprise/server/manager/routes/recovery.ts";
import { cluster } from "./roles.ts";
import type { World } from "./world.ts";

/** By the name of the transcript. Each ends in its own way. */
const recorded: ReadonlySet<string> = new Set([
  "a-broken-policy",
  "a-gpu-falls-off-the-bus",
  "a-kernel-log-names-the-node",
  "a-program-that-finished",
  "a-restart-is-ordered",
  "admin-lays-a-hold-over-ours",
  "exit-code-alone",
  "forbidden-after-the-requeue",
  "forbidden-before-anything-was-done",
  "forbidden-too-late",
  "many-signals-one-incident",
  "max-requeue-times",
  "no-requeue",
  "node-lost-silently",
  "observe-mode",
  "off-beats-everything",
  "preempted",
  "python-error-twice",
  "sac-dies-after-the-requeue",
  "slurm-does-not-answer",
  "the-answer-of-the-requeue-is-lost",
  "time-limit",
  "too-few-nodes",
  "user-cancels",
  "withdrawn-after-the-requeue",
]);

const folder = fileURLToPath(new URL("../../apps/cli/src/render/testdata/stories/", import.meta.url));

/** @param transcript The name of its file. Undefined: it is not among those that are recorded. */
export function recordingOf(transcript: string): string | undefined {
  const name = transcript.replace(/\.txt$/, "");
  return recorded.has(name) ? `${folder}${name}.json` : undefined;
}

/** The first job of the world. */
export async function explain({ memory, clock }: World): Promise<string> {
  const now = { now: () => clock.now(), elapsed: () => clock.now(), sleep: () => Promise.resolve() };
  const routes = recoveryRoutes({ store: memory, clock: now, site: { cluster } });
  const caller = { name: "test", signal: new AbortController().signal };
  const answer = await routes.explain(create(ExplainRequestSchema, { jobId: "1" }), caller);
  const written = writeJson(ExplainResponseSchema, create(ExplainResponseSchema, answer));
  return `${JSON.stringify(JSON.parse(written), undefined, 1)}\n`;
}
