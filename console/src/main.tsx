// The console's beginning: its cache, its router, its frame.

import "./app.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createQueryClient } from "./api/query";
import { Kit } from "./components/Kit";
import { createConsoleRouter } from "./routes";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root");
const client = createQueryClient();
const router = createConsoleRouter(client);
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <Kit>
        <RouterProvider router={router} />
      </Kit>
    </QueryClientProvider>
  </StrictMode>,
);
