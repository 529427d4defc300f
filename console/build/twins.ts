import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "fflate";
import type { Plugin } from "vite";

/** Smaller files come in one packet anyway. */
const WORTHWHILE_BYTES = 1024;
const TEXT = /\.(js|css|html|svg|json|txt)$/;

/**
 * Writes a compressed twin beside each file that gets smaller, so that the server compresses nothing. In JavaScript
 * rather than with Node's zlib, whose bytes depend on the processor: the built files are checked in and compared.
 */
export function twins(): Plugin {
  let folder = "";
  return {
    name: "twins",
    apply: "build",
    configResolved(config) {
      folder = config.build.outDir;
    },
    async closeBundle() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && TEXT.test(entry.name));
      for (const file of files) {
        const path = join(file.parentPath, file.name);
        const bytes = await readFile(path);
        const twin = gzipSync(bytes, { level: 9, mtime: 0 });
        if (bytes.length >= WORTHWHILE_BYTES && twin.length < bytes.length) await writeFile(`${path}.gz`, twin);
      }
    },
  };
}
