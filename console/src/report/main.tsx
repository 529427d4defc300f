// The beginning of the evidence report: the console's components over recorded answers.

import "~/app.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { createHashHistory, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "~/api/query";
import { answerFromRecording } from "~/api/recorded";
import { Kit } from "~/components/Kit";
import { applyTheme, followTheme } from "~/components/theme";
import { readIsland } from "./island";
import { createReportRouter } from "./routes";
import { hashOf } from "./screens";

const root = document.getElementById("root");
if (root === null) throw new Error("report.html has no element #root");
applyTheme();
followTheme();
const island = readIsland(document);
answerFromRecording(island?.answers ?? {});
const screen = hashOf(location.search, island?.run_ids[0]);
if (screen !== null && location.hash === "") history.replaceState(null, "", location.pathname + screen);
const client = createQueryClient();
const router = createReportRouter(client, island, createHashHistory());
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Kit>
        <RouterProvider router={router} />
      </Kit>
    </QueryClientProvider>
  </StrictMode>,
);
