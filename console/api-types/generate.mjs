// Writes src/api/schema.d.ts from docs/openapi.json; with --check it only says whether that file is fresh.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const source = new URL("../../docs/openapi.json", import.meta.url);
const target = new URL("../src/api/schema.d.ts", import.meta.url);

const document = JSON.parse(await readFile(source, "utf8"));
const types = await openapiTS(document, { emptyObjectsUnknown: true, alphabetize: true });
const text = `// Generated from docs/openapi.json by \`npm run api\`. Do not edit.\n\n${astToString(types)}`;

if (process.argv.includes("--check")) {
  const present = await readFile(target, "utf8").catch(() => "");
  if (present !== text) {
    process.stderr.write("console/src/api/schema.d.ts is stale: run `npm run api` in console/\n");
    process.exit(1);
  }
} else {
  await writeFile(target, text);
}
