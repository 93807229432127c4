/**
 * heimdall: the routes of `heimdall.v1.HeimdallService`: the public API.
 *
 * In the loop   a client → gateway → **route** → store
 * Fails         `Refusal`s name the field.
 * Keeps         both transports call these same functions.
 * Source        api.md §1, §2, §4.
 */
import { Refusal } from "@reprise/core/refusal.ts";
import type { GetJobsRequest, HeimdallService } from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import { nextPageToken, opaqueToken, readOpaqueToken, limitOf, sliceOf } from "@reprise/protocol/page-token.ts";
import type { RpcHandlers } from "@reprise/protocol/rpc.ts";
import { adviceToWire, statusFromWire } from "@reprise/protocol/wire/advice.ts";
import { identifier, present, uuid } from "@reprise/protocol/wire/check.ts";
import { optionalInstantFromWire, optionalInstantToWire } from "@reprise/protocol/wire/instant.ts";
import { attemptNameFromWire, jobReportFromWire, jobToWire } from "@reprise/protocol/wire/job.ts";
import type { Caller, Manager } from "../context.ts";
import { completeReport } from "../job-report.ts";
import type { AttemptRecord } from "@reprise/core/nouns.ts";
import type { JobFilter, WorkflowRecord } from "../store.ts";
import { sequenceRoutes } from "./sequences.ts";

type Routes = RpcHandlers<typeof HeimdallService, Caller>;

export function heimdallRoutes(manager: Manager): Routes {
  const { store, clock, site } = manager;
  return {
    async getJobs(request) {
      const slice = sliceOf(request);
      const page = await store.listJobs(filterOf(request), slice);
      return listed("jobs", page.rows.map(jobToWire), nextPageToken(slice, page));
    },

    async createOrUpdateJob(request) {
      const attempt = await store.upsertJob(completeReport(jobReportFromWire(request), site), clock.now());
      return { job: jobToWire(attempt) };
    },

    async getJob({ heimdallJobId, useHeimdallId }) {
      const attempt = useHeimdallId
        ? await store.getJobByUuid(uuid("heimdallJobId", heimdallJobId))
        : await byName(store, site.cluster, heimdallJobId);
      return { job: jobToWire(found(attempt, `job ${heimdallJobId}`)) };
    },

    async getJobsBySchedulerId({ schedulerJobId, page: pageToken, limit }) {
      const slice = sliceOf(present({ pageToken, limit }), { token: "page", rowsMax: 250 });
      const page = await store.listJobsBySchedulerId(identifier("schedulerJobId", schedulerJobId), slice);
      return listed("jobs", page.rows.map(jobToWire), nextPageToken(slice, page));
    },

    async getWorkflows(request) {
      const slice = sliceOf(request);
      const page = await store.listWorkflows(slice);
      return listed("workflows", page.rows.map(workflowToWire), nextPageToken(slice, page));
    },

    async getWorkflow({ workflowId }) {
      const id = identifier("workflowId", workflowId);
      return { workflow: workflowToWire(found(await store.getWorkflow(id), `workflow ${id}`)) };
    },

    async listAdvice({ page: token, limit: asked, onlyActive }) {
      const limit = limitOf(asked);
      const query = { list: "advice", onlyActive };
      const [createdAt, heimdallJobId] =
        token === undefined || token === "" ? [] : readOpaqueToken("page", token, query, ["number", "string"]);
      const before =
        createdAt === undefined
          ? {}
          : { before: { createdAt: Number(createdAt), heimdallJobId: String(heimdallJobId) } };
      const now = clock.now();
      const page = await store.listAdvice({ onlyActive }, { ...before, limit }, now);
      const last = page.rows.at(-1);
      const next = page.hasMore && last !== undefined ? opaqueToken(query, [last.createdAt, last.heimdallJobId]) : "";
      return listed(
        "advice",
        page.rows.map((advice) => adviceToWire(advice, now)),
        next,
      );
    },

    async updateAdviceReconciliationStatus({ heimdallJobId, reconciliationStatus }) {
      const now = clock.now();
      const advice = await store.observeStatus(
        uuid("heimdallJobId", heimdallJobId),
        statusFromWire(reconciliationStatus, now),
        now,
      );
      return { advice: adviceToWire(advice, now) };
    },

    ...sequenceRoutes(manager),
  };
}

function listed<K extends string, T>(
  key: K,
  rows: T[],
  token: string,
): { [P in K]: T[] } & { count: number; nextPageToken: string } {
  return { [key]: rows, count: rows.length, nextPageToken: token } as { [P in K]: T[] } & {
    count: number;
    nextPageToken: string;
  };
}

function found<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Refusal("not-found", `${what} is not known`);
  return value;
}

/** `{job_id}-{attempt_index}`: of the site's own cluster, or of the only one that knows it. */
async function byName(store: Manager["store"], cluster: string, text: string): Promise<AttemptRecord | undefined> {
  const { jobId, attemptIndex } = attemptNameFromWire(text);
  return store.getJobByAttempt(cluster, jobId, attemptIndex);
}

function filterOf(request: GetJobsRequest): JobFilter {
  const { workflowIds, jobIds, jmState, reconciliationEligibleJobs, completedJobs } = request;
  const excludes = (what: string, other: string) =>
    new Refusal("invalid", `${what} and ${other} exclude one another; give one of them`);
  if (jmState !== undefined && reconciliationEligibleJobs === true)
    throw excludes("reconciliationEligibleJobs", "jmState");
  if (completedJobs !== undefined && jmState !== undefined) throw excludes("completedJobs", "jmState");
  if (completedJobs !== undefined && reconciliationEligibleJobs === true)
    throw excludes("completedJobs", "reconciliationEligibleJobs");
  return present({
    workflowIds: workflowIds.length === 0 ? undefined : workflowIds,
    jobIds: jobIds.length === 0 ? undefined : jobIds,
    jmState,
    reconciliationEligible: reconciliationEligibleJobs,
    completed: completedJobs,
    endTimeFrom: optionalInstantFromWire("endTimeFrom", request.endTimeFrom),
    endTimeTo: optionalInstantFromWire("endTimeTo", request.endTimeTo),
  });
}

function workflowToWire({ workflowId, name, startAt, endAt }: WorkflowRecord) {
  return {
    workflowId,
    ...present({ name, startTime: optionalInstantToWire(startAt), endTime: optionalInstantToWire(endAt) }),
  };
}
