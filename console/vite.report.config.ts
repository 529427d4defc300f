import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The evidence report: one HTML file that opens from disk. */
export default defineConfig({
  plugins: [react(), tailwindcss(), viteSingleFile({ removeViteModuleLoader: true })],
  publicDir: false,
  resolve: {
    alias: [
      // Nobody answers a question in a report, and the forms are heavy.
      { find: "~/components/SchemaForm", replacement: here("./src/report/NoForm.tsx") },
      { find: "~", replacement: here("./src") },
    ],
  },
  build: {
    emptyOutDir: false,
    target: "es2023",
    sourcemap: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2_000,
    rolldownOptions: { input: here("./report.html") },
  },
});
