import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";

/** Builds the evidence report beside the console: the same components, one file, nothing loaded. */
export function report(): Plugin {
  let folder = "";
  return {
    name: "report",
    apply: "build",
    configResolved(config) {
      folder = config.build.outDir;
    },
    closeBundle: {
      // Before the compressed twins are made.
      order: "pre",
      sequential: true,
      async handler() {
        const configFile = fileURLToPath(new URL("../vite.report.config.ts", import.meta.url));
        await build({ configFile, logLevel: "warn", build: { outDir: folder } });
      },
    },
  };
}
