// The pages of the report, under the addresses that they have in the console, so that links and search are the same.

import type { QueryClient } from "@tanstack/react-query";
import { createRootRoute, createRoute, createRouter, type RouterHistory } from "@tanstack/react-router";
import { NotFound, PageFault, PagePending } from "~/components/Standins";
import { ComparePage } from "~/pages/runs/ComparePage";
import { RunPage } from "~/pages/runs/RunPage";
import { compareSearch, runSearch } from "~/searches";
import type { Island } from "./island";
import { ReportHome } from "./ReportHome";
import { ReportShell } from "./ReportShell";

export function createReportRouter(client: QueryClient, island: Island | null, history: RouterHistory) {
  const root = createRootRoute({
    component: () => <ReportShell island={island} />,
    notFoundComponent: NotFound,
  });
  const home = createRoute({
    getParentRoute: () => root,
    path: "/",
    component: () => <ReportHome island={island} />,
  });
  // Above a Run stands the list of Runs; here that is the overview.
  const runs = createRoute({
    getParentRoute: () => root,
    path: "/runs",
    component: () => <ReportHome island={island} />,
  });
  const run = createRoute({
    getParentRoute: () => root,
    path: "/runs/$runId",
    validateSearch: runSearch,
    component: RunPage,
  });
  const compare = createRoute({
    getParentRoute: () => root,
    path: "/compare",
    validateSearch: compareSearch,
    component: ComparePage,
  });
  const router = createRouter({
    routeTree: root.addChildren([home, runs, run, compare]),
    context: { client },
    history,
    defaultPendingComponent: PagePending,
    defaultErrorComponent: PageFault,
  });
  // The kit's links are typed by the console's addresses, of which these are some.
  return router as never;
}
