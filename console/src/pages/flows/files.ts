// Documents as files of the reader's own.

import { type FlowDocument, type Format, parse, render, TEXT_MAX, view } from "~/canvas/document";
import { flows as text } from "~/text/en/flows";

const TYPES: Readonly<Record<Format, string>> = { yaml: "application/yaml", json: "application/json" };

export function download(document: FlowDocument, format: Format): void {
  const url = URL.createObjectURL(new Blob([render(document, format)], { type: TYPES[format] }));
  const link = window.document.createElement("a");
  link.href = url;
  link.download = `${view(document).id || "flow"}.${format}`;
  link.click();
  URL.revokeObjectURL(url);
}

/** The document in a file, or what is wrong with it. */
export async function readFile(file: File): Promise<FlowDocument | string> {
  if (file.size > TEXT_MAX) return text.create.fileTooLong(TEXT_MAX);
  const content = await file.text();
  const parsed = parse(content, /^\s*\{/.test(content) && file.name.endsWith(".json") ? "json" : "yaml");
  if (parsed.ok) return parsed.document;
  const [problem] = parsed.problems;
  return problem ? text.create.fileProblem(problem.line, problem.message) : text.create.fileFailed;
}
