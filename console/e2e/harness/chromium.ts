import { accessSync, constants } from "node:fs";
import type { LaunchOptions } from "@playwright/test";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** The machine's own Chromium; nothing is downloaded. */
export function chromium(): LaunchOptions {
  const executablePath = process.env.E2E_CHROMIUM ?? PLACES.find(isExecutable);
  if (!executablePath) {
    throw new Error("there is no Chromium: `.ci/install-tools chromium` installs it, or set E2E_CHROMIUM to its path");
  }
  const quiet = [
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
  ];
  // Its sandbox refuses to work for root, as whom build servers run things.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return { executablePath, args: [...quiet, ...sandbox] };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
