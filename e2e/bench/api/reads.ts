/** reads: every lookup and every list of the API, as paths over a database that `fill` made. */
import { jobIdOf, uuidOf, workflowOf } from "./fill.ts";

export interface Read {
  readonly name: string;
  /** A list whose place no index gives: a filter on states, or `OFFSET`. No promise about its growth. */
  readonly isOpen?: true;
  /** @param n Counts up. @param attempts How many are stored. */
  path(n: number, attempts: number): string;
}

/** Spread over all attempts, always the same ones. */
const some = (n: number, attempts: number): number => ((n * 7919) % attempts) + 1;

export const reads: readonly Read[] = [
  {
    name: "job by name",
    path: (n, all) => `/v1/jobs/${jobIdOf(some(n, all))}-${(some(n, all) - 1) % 4}`,
  },
  { name: "job by UUID", path: (n, all) => `/v1/jobs/${uuidOf(some(n, all))}?useHeimdallId=true` },
  { name: "attempts of a scheduler job", path: (n, all) => `/v1/jobs/by-scheduler-id/${jobIdOf(some(n, all))}` },
  { name: "workflow", path: (n, all) => `/v1/workflows:lookup?workflowId=${workflowOf(some(n, all))}` },
  { name: "jobs, first page", path: () => "/v1/jobs" },
  { name: "jobs, any page", path: (n, all) => `/v1/jobs?pageToken=${some(n, all - 100)}` },
  { name: "jobs, last page", path: (_, all) => `/v1/jobs?pageToken=${all - 100}` },
  { name: "jobs of a workflow", path: (n, all) => `/v1/jobs?workflowIds=${workflowOf(some(n, all))}` },
  {
    name: "jobs of ten workflows, 2nd page",
    path: (n, all) =>
      `/v1/jobs?pageToken=100&${Array.from({ length: 10 }, (_, i) => `workflowIds=${workflowOf(some(n + i, all))}`).join("&")}`,
  },
  {
    name: "jobs of ten job IDs",
    path: (n, all) =>
      `/v1/jobs?${Array.from({ length: 10 }, (_, i) => `jobIds=${jobIdOf(some(n + i, all))}`).join("&")}`,
  },
  { name: "jobs that run", path: () => "/v1/jobs?jmState=RUNNING" },
  { name: "jobs not completed", path: () => "/v1/jobs?completedJobs=false" },
  { name: "jobs eligible for recovery", path: () => "/v1/jobs?reconciliationEligibleJobs=true" },
  {
    name: "jobs completed, last page",
    isOpen: true,
    path: (_, all) => `/v1/jobs?completedJobs=true&pageToken=${Math.floor(all * 0.98)}`,
  },
  { name: "workflows, first page", path: () => "/v1/workflows" },
  { name: "workflows, last page", path: (_, all) => `/v1/workflows?pageToken=${all / 40 - 100}` },
  { name: "Advice, newest", path: () => "/v1/advice" },
  { name: "active Advice", path: () => "/v1/advice?onlyActive=true" },
  { name: "audit of an attempt", path: (n, all) => `/v1/audit/events?heimdallJobId=${uuidOf(some(n, all))}` },
  { name: "audit, newest", path: () => "/v1/audit/events" },
  { name: "story of a job", path: (n, all) => `/reprise/v1/jobs/${jobIdOf(some(n, all))}/explain` },
];
