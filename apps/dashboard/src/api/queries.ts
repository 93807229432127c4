/** queries: what each page asks, by the name under which its answer is kept. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { GetAuditEventsResponseJson, ProducerAuditEventJson } from "@reprise/protocol/gen/heimdall/v1/audit_pb.ts";
import type {
  GetJobsResponseJson,
  GetWorkflowResponseJson,
  GetWorkflowsResponseJson,
  ListAdviceResponseJson,
} from "@reprise/protocol/gen/heimdall/v1/heimdall_pb.ts";
import type { CourseResponseJson } from "@reprise/protocol/gen/reprise/v1/course_pb.ts";
import type { FiguresResponseJson } from "@reprise/protocol/gen/reprise/v1/figures_pb.ts";
import type { GetModeResponseJson } from "@reprise/protocol/gen/reprise/v1/mode_pb.ts";
import type { ListNodesResponseJson } from "@reprise/protocol/gen/reprise/v1/nodes_pb.ts";
import type {
  ListJobsResponseJson,
  NowResponseJson,
  WhoAmIResponseJson,
} from "@reprise/protocol/gen/reprise/v1/now_pb.ts";
import type { ExplainResponseJson } from "@reprise/protocol/gen/reprise/v1/reprise_pb.ts";
import { ask, query, serverNow } from "./client.ts";

const rowsPerPage = 250;
/** A list of more pages is not asked for again by itself: one who has scrolled far would ask for thousands of rows every few seconds. */
const livePagesMax = 2;
const pollMs = 15_000;

const pagesOf = (query: { readonly state: { readonly data?: unknown } }): number =>
  (query.state.data as { readonly pages?: readonly unknown[] } | undefined)?.pages?.length ?? 0;

/** Whether what has changed on the server is to be seen in it without a person's doing. */
export const isLive = (query: { readonly state: { readonly data?: unknown } }): boolean =>
  pagesOf(query) <= livePagesMax;

const whileLive = {
  refetchInterval: (query: { readonly state: { readonly data?: unknown } }) =>
    isLive(query) ? pollMs : (false as const),
};
const dayMs = 24 * 60 * 60_000;

export const meQuery = () =>
  queryOptions({
    queryKey: ["me"],
    queryFn: ({ signal }) => ask<WhoAmIResponseJson>("/reprise/v1/me", signal),
    staleTime: 60_000,
  });

export const nowQuery = () =>
  queryOptions({
    queryKey: ["now"],
    queryFn: ({ signal }) => ask<NowResponseJson>("/reprise/v1/now", signal),
    refetchInterval: 5_000,
  });

export const modeQuery = () =>
  queryOptions({
    queryKey: ["mode"],
    queryFn: ({ signal }) => ask<GetModeResponseJson>("/reprise/v1/mode", signal),
    refetchInterval: 5_000,
  });

/** The newest orders about the cluster, of both kinds. */
export const clusterOrdersQuery = () =>
  queryOptions({
    queryKey: ["audit", "cluster-orders"],
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        ["mode.ordered", "brake.ordered"].map((eventType) =>
          ask<GetAuditEventsResponseJson>(query("/v1/audit/events", { eventType, limit: 10 }), signal),
        ),
      );
      const at = ({ eventProducedAt = "0" }: ProducerAuditEventJson) => Number(eventProducedAt);
      return answers.flatMap(({ items = [] }) => items).toSorted((a, b) => at(b) - at(a));
    },
  });

/** Of the last day. */
export const figuresQuery = () =>
  queryOptions({
    queryKey: ["figures"],
    queryFn: ({ signal }) =>
      ask<FiguresResponseJson>(
        query("/reprise/v1/figures", { from: new Date(serverNow() - dayMs).toISOString() }),
        signal,
      ),
    staleTime: 30_000,
  });

export interface JobsAsk {
  readonly standing?: string | undefined;
  readonly search?: string | undefined;
  readonly workflowId?: string | undefined;
}

export const jobsQuery = (asked: JobsAsk, limit = rowsPerPage) =>
  infiniteQueryOptions({
    ...whileLive,
    queryKey: ["jobs", asked, limit],
    queryFn: ({ signal, pageParam }) =>
      ask<ListJobsResponseJson>(query("/reprise/v1/jobs", { ...asked, limit, pageToken: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextPageToken || undefined,
    placeholderData: keepPreviousData,
  });

export const explainQuery = (jobId: string) =>
  queryOptions({
    queryKey: ["explain", jobId],
    queryFn: ({ signal }) => ask<ExplainResponseJson>(`/reprise/v1/jobs/${encodeURIComponent(jobId)}/explain`, signal),
  });

export const courseQuery = (jobId: string, attemptIndex: number) =>
  queryOptions({
    queryKey: ["course", jobId, attemptIndex],
    queryFn: ({ signal }) =>
      ask<CourseResponseJson>(query(`/reprise/v1/jobs/${encodeURIComponent(jobId)}/course`, { attemptIndex }), signal),
  });

export const adviceQuery = (onlyActive: boolean) =>
  infiniteQueryOptions({
    ...whileLive,
    queryKey: ["advice", onlyActive],
    queryFn: ({ signal, pageParam }) =>
      ask<ListAdviceResponseJson>(
        query("/v1/advice", { onlyActive: onlyActive || undefined, limit: rowsPerPage, page: pageParam }),
        signal,
      ),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextPageToken || undefined,
    placeholderData: keepPreviousData,
  });

export interface AuditAsk {
  readonly jobId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly eventLevel?: string | undefined;
  readonly eventProducer?: string | undefined;
}

export const auditQuery = (asked: AuditAsk) =>
  infiniteQueryOptions({
    ...whileLive,
    queryKey: ["audit", asked],
    queryFn: ({ signal, pageParam }) =>
      ask<GetAuditEventsResponseJson>(query("/v1/audit/events", { ...asked, limit: 100, cursor: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.cursor?.next,
    placeholderData: keepPreviousData,
  });

export const nodesQuery = () =>
  queryOptions({
    queryKey: ["nodes"],
    queryFn: ({ signal }) => ask<ListNodesResponseJson>(query("/reprise/v1/nodes", { limit: rowsPerPage }), signal),
  });

export const workflowsQuery = () =>
  infiniteQueryOptions({
    ...whileLive,
    queryKey: ["workflows"],
    queryFn: ({ signal, pageParam }) =>
      ask<GetWorkflowsResponseJson>(query("/v1/workflows", { limit: rowsPerPage, pageToken: pageParam }), signal),
    initialPageParam: "",
    getNextPageParam: (last) => last.nextPageToken || undefined,
  });

/** What a list needs to bring more, or to look again. */
export const moreOf = (list: {
  readonly data: { readonly pages: readonly unknown[] } | undefined;
  readonly dataUpdatedAt: number;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
  readonly refetch: () => Promise<unknown>;
}) => ({
  hasMore: list.hasNextPage,
  isLoading: list.isFetchingNextPage,
  load: () => void list.fetchNextPage(),
  ...((list.data?.pages.length ?? 0) > livePagesMax
    ? { asOf: { at: list.dataUpdatedAt, refresh: () => void list.refetch() } }
    : {}),
});

/** A workflow and the attempts of its jobs: as many as one page has. */
export const workflowQuery = (workflowId: string) =>
  queryOptions({
    queryKey: ["workflow", workflowId],
    queryFn: async ({ signal }) => {
      const [workflow, jobs] = await Promise.all([
        ask<GetWorkflowResponseJson>(query("/v1/workflows:lookup", { workflowId }), signal),
        ask<GetJobsResponseJson>(query("/v1/jobs", { workflowIds: workflowId, limit: rowsPerPage }), signal),
      ]);
      return { ...workflow, ...jobs };
    },
  });
