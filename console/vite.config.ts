import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { report } from "./build/report.ts";
import { twins } from "./build/twins.ts";

/** Where `segue app` listens while the console is developed with `npm run dev`. */
const server = process.env.SEGUE_URL ?? "http://127.0.0.1:8765";

export default defineConfig({
  plugins: [react(), tailwindcss(), report(), twins()],
  resolve: { alias: { "~": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    // Committed and embedded in the binary, so that nobody needs Node.js to build Segue.
    outDir: fileURLToPath(new URL("../crates/web-assets/dist", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    sourcemap: false,
    // Inlined pictures would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    chunkSizeWarningLimit: 700,
  },
  server: {
    proxy: {
      "/api": {
        target: server,
        changeOrigin: true,
        configure: (proxy) => {
          // The server refuses what comes from another origin; this proxy is on the developer's own machine.
          proxy.on("proxyReq", (request) => {
            for (const name of ["origin", "referer", "sec-fetch-site"]) request.removeHeader(name);
          });
        },
      },
    },
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
  },
});
