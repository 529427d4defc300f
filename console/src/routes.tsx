// Every page has an address, and this is the list of them. A page's code is loaded when it is first shown. What is kept
// in an address beside its path is read here, so that a page gets typed values and a mistyped address still opens.

import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
  redirect,
} from "@tanstack/react-router";
import { Shell } from "./components/Shell";
import { NotFound, PageFault, PagePending } from "./components/Standins";
import { oneOf, some, words } from "./search";
import { compareSearch, runSearch } from "./searches";

export interface RouterContext {
  client: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./pages/home/HomePage"), "HomePage"),
});

/** Where the console of the contract was. */
const flowConsole = createRoute({
  getParentRoute: () => root,
  path: "/flow-console",
  beforeLoad: () => {
    throw redirect({ to: "/", replace: true });
  },
});

const flows = createRoute({
  getParentRoute: () => root,
  path: "/flows",
  validateSearch: (search: Record<string, unknown>) => some({ text: words(search.text) }),
  component: lazyRouteComponent(() => import("./pages/flows/FlowsPage"), "FlowsPage"),
});

const newFlow = createRoute({
  getParentRoute: () => root,
  path: "/flows/new",
  validateSearch: (search: Record<string, unknown>) => some({ template: words(search.template) }),
  component: lazyRouteComponent(() => import("./pages/flows/NewFlowPage"), "NewFlowPage"),
});

export const FLOW_VIEWS = ["canvas", "document", "plan", "run"] as const;

const flow = createRoute({
  getParentRoute: () => root,
  path: "/flows/$flowId",
  validateSearch: (search: Record<string, unknown>) =>
    some({ node: words(search.node), view: oneOf(FLOW_VIEWS, search.view) }),
  component: lazyRouteComponent(() => import("./pages/flows/FlowPage"), "FlowPage"),
});

const flowVersions = createRoute({
  getParentRoute: () => root,
  path: "/flows/$flowId/versions",
  validateSearch: (search: Record<string, unknown>) => some({ a: words(search.a), b: words(search.b) }),
  component: lazyRouteComponent(() => import("./pages/flows/FlowVersionsPage"), "FlowVersionsPage"),
});

/** What Runs can be filtered by: their states, and that they wait for a person. */
export const RUN_FILTERS = ["waiting", "running", "cancel_requested", "succeeded", "failed", "cancelled"] as const;

const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: (search: Record<string, unknown>) =>
    some({ status: oneOf(RUN_FILTERS, search.status), flow: words(search.flow), text: words(search.text) }),
  component: lazyRouteComponent(() => import("./pages/runs/RunsPage"), "RunsPage"),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import("./pages/runs/RunPage"), "RunPage"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import("./pages/runs/ComparePage"), "ComparePage"),
});

const stability = createRoute({
  getParentRoute: () => root,
  path: "/stability/$taskId/$flowHash",
  component: lazyRouteComponent(() => import("./pages/runs/StabilityPage"), "StabilityPage"),
});

export const TASK_STATUSES = ["created", "starting", "running", "succeeded", "failed", "cancelled"] as const;

const tasks = createRoute({
  getParentRoute: () => root,
  path: "/tasks",
  validateSearch: (search: Record<string, unknown>) =>
    some({ status: oneOf(TASK_STATUSES, search.status), agent: words(search.agent) }),
  component: lazyRouteComponent(() => import("./pages/tasks/TasksPage"), "TasksPage"),
});

const task = createRoute({
  getParentRoute: () => root,
  path: "/tasks/$taskId",
  validateSearch: (search: Record<string, unknown>) => some({ tab: words(search.tab) }),
  component: lazyRouteComponent(() => import("./pages/tasks/TaskPage"), "TaskPage"),
});

const keptAgents = createRoute({
  getParentRoute: () => root,
  path: "/kept-agents",
  component: lazyRouteComponent(() => import("./pages/tasks/KeptAgentsPage"), "KeptAgentsPage"),
});

const capabilities = createRoute({
  getParentRoute: () => root,
  path: "/capabilities",
  validateSearch: (search: Record<string, unknown>) =>
    some({ text: words(search.text), kind: words(search.kind), id: words(search.id), tab: words(search.tab) }),
  component: lazyRouteComponent(() => import("./pages/capabilities/CapabilitiesPage"), "CapabilitiesPage"),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedules",
  validateSearch: (search: Record<string, unknown>) => some({ id: words(search.id) }),
  component: lazyRouteComponent(() => import("./pages/schedules/SchedulesPage"), "SchedulesPage"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings/SettingsPage"), "SettingsPage"),
});

const tree = root.addChildren([
  home,
  flowConsole,
  flows,
  newFlow,
  flow,
  flowVersions,
  runs,
  run,
  compare,
  stability,
  tasks,
  task,
  keptAgents,
  capabilities,
  schedules,
  settings,
]);

export function createConsoleRouter(client: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree: tree,
    context: { client },
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageFault,
    scrollRestoration: true,
    ...(history === undefined ? {} : { history }),
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
