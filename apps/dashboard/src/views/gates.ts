/**
 * gates: which job of a workflow waits for which, and why each gate is open or closed, as the server judged it. Pure; nothing is judged here.
 */
import type { JobJson } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import type { AttemptStoryJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";

export interface JobGraph {
  /** Job IDs, each once. */
  readonly jobs: readonly { readonly jobId: string; readonly name: string }[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly trigger: string }[];
}

/** @param attempts Of one workflow, in any order. An edge to a job that is not among them is left out. */
export function graphOf(attempts: readonly JobJson[]): JobGraph {
  const byId = new Map(
    attempts.flatMap((job) => (job.jobId === undefined || job.jobId === "" ? [] : [[job.jobId, job] as const])),
  );
  const byName = new Map([...byId.values()].map((job) => [job.jobName ?? "", job.jobId ?? ""]));
  const edges = [...byId.values()].flatMap((job) =>
    (job.recoveryConfig?.dagDependencies ?? []).flatMap(({ jobId, jobName, trigger }) => {
      const from = jobId !== undefined && jobId !== "" ? jobId : (byName.get(jobName ?? "") ?? "");
      if (!byId.has(from)) return [];
      return [
        {
          from,
          to: job.jobId ?? "",
          trigger: (trigger ?? "").replace("TRIGGER_CONDITION_", "").toLowerCase().replaceAll("_", " "),
        },
      ];
    }),
  );
  return { jobs: [...byId.values()].map(({ jobId = "", jobName = "" }) => ({ jobId, name: jobName })), edges };
}

/** Each gate once, as it was judged last. */
export function gatesOf(attempts: readonly AttemptStoryJson[]): readonly string[] {
  const judged = attempts.flatMap(({ advised, decision }) =>
    [advised, decision].flatMap((one) => (one?.rules ?? []).filter(({ rule = "" }) => rule.startsWith("gate "))),
  );
  const latest = new Map(judged.map(({ rule = "", why = "" }) => [rule.slice("gate ".length), why]));
  return [...latest].map(([gate, why]) => `${gate}: ${why}`);
}
