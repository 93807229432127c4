/** router: which address shows which page. What a list shows stands in its address, and what is no such value is left out. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Shell } from "./shell.tsx";
import { AdvicePage } from "./pages/advice.tsx";
import { AuditPage } from "./pages/audit.tsx";
import { JobPage } from "./pages/job.tsx";
import { JobsPage } from "./pages/jobs.tsx";
import { ModePage } from "./pages/mode.tsx";
import { NodesPage } from "./pages/nodes.tsx";
import { NowPage } from "./pages/now.tsx";
import { WorkflowsPage } from "./pages/workflows.tsx";
import { Empty } from "./parts/states.tsx";

type Search = Readonly<Record<string, unknown>>;
const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;

const root = createRootRoute({ component: Shell, notFoundComponent: () => <Empty title="There is no such page" /> });

const now = createRoute({ getParentRoute: () => root, path: "/", component: NowPage });

const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: (search: Search): JobsSearch => ({
    standing: text(search["standing"]),
    search: text(search["search"]),
    workflow: text(search["workflow"]),
  }),
  component: JobsPage,
});
export interface JobsSearch {
  readonly standing?: string | undefined;
  readonly search?: string | undefined;
  readonly workflow?: string | undefined;
}

const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$jobId",
  validateSearch: (search: Search): { readonly attempt?: string | undefined } => ({ attempt: text(search["attempt"]) }),
  component: JobPage,
});

const advice = createRoute({
  getParentRoute: () => root,
  path: "/advice",
  validateSearch: (search: Search): { readonly show?: string | undefined } => ({ show: text(search["show"]) }),
  component: AdvicePage,
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: (search: Search): AuditSearch => ({
    job: text(search["job"]),
    type: text(search["type"]),
    level: text(search["level"]),
    producer: text(search["producer"]),
  }),
  component: AuditPage,
});
export interface AuditSearch {
  readonly job?: string | undefined;
  readonly type?: string | undefined;
  readonly level?: string | undefined;
  readonly producer?: string | undefined;
}

const mode = createRoute({ getParentRoute: () => root, path: "/mode", component: ModePage });
const nodes = createRoute({ getParentRoute: () => root, path: "/nodes", component: NodesPage });
const workflows = createRoute({ getParentRoute: () => root, path: "/workflows", component: WorkflowsPage });
/** It brings the drawing of graphs with it. */
const workflow = createRoute({
  getParentRoute: () => root,
  path: "/workflows/$workflowId",
  component: lazyRouteComponent(() => import("./pages/workflow.tsx"), "WorkflowPage"),
});

const routeTree = root.addChildren([now, jobs, job, advice, audit, mode, nodes, workflows, workflow]);

/** Where this server's paths begin: the document says it. */
const basepath = () => new URL(document.baseURI).pathname.replace(/\/$/, "") || "/";

export const makeRouter = () =>
  createRouter({ routeTree, basepath: basepath(), defaultPreload: false, scrollRestoration: true });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
