// The document as text, kept in step with the canvas both ways: what is typed is on the canvas as soon as it can be read,
// and what is done on the canvas is in the text.

import { useState } from "react";
import { flows as text } from "~/text/en/flows";
import { RadioGroup } from "~/ui/Choice";
import { CodeEditor, type Finding } from "~/ui/CodeEditor";
import { type FlowDocument, type Format, parse, render, type TextProblem } from "./document";
import { documentOf, useEditor, useEditorStore } from "./editor";

const words = text.document;

export function DocumentView({ readOnly = false }: { readOnly?: boolean }) {
  const store = useEditorStore();
  const document = useEditor(documentOf);
  const broken = useEditor((editor) => editor.broken);
  const [format, setFormat] = useState<Format>("yaml");
  /** What was typed, and the document that it is the text of (or was typed over, while it cannot be read). */
  const [typed, setTyped] = useState<{ text: string; of: FlowDocument; problems: readonly TextProblem[] } | null>(null);
  const isOwn = typed !== null && typed.of === document && (typed.problems.length === 0 || broken);
  const shown = isOwn ? typed.text : render(document, format);
  const problems = isOwn ? typed.problems : [];

  const type = (next: string) => {
    if (next === shown) return;
    const parsed = parse(next, format);
    if (parsed.ok) {
      store.getState().replace(parsed.document, "text");
      setTyped({ text: next, of: parsed.document, problems: [] });
    } else {
      store.getState().setBroken(true);
      setTyped({ text: next, of: document, problems: parsed.problems });
    }
  };

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b px-3 py-1.5">
        <RadioGroup
          row
          label={words.format}
          value={format}
          options={[
            { value: "yaml", label: words.yaml, disabled: broken },
            { value: "json", label: words.json, disabled: broken },
          ]}
          onValueChange={(next) => {
            setFormat(next);
            setTyped(null);
          }}
        />
        <p className="min-w-0 flex-1 text-right text-ink-3 text-xs">{words.jsonNote}</p>
      </div>
      <ul role="status" className="bg-bad-soft text-bad text-sm">
        {problems.map((problem) => (
          <li key={`${problem.line}:${problem.column}:${problem.message}`} className="px-3 py-1">
            {words.problem(problem.line, problem.column, problem.message)}
          </li>
        ))}
      </ul>
      <div className="min-h-0 flex-1">
        <CodeEditor
          label={words.label}
          value={shown}
          onChange={type}
          language={format}
          readOnly={readOnly}
          findings={problems.map((problem) => finding(shown, problem))}
        />
      </div>
    </div>
  );
}

function finding(shown: string, { line, column, message }: TextProblem): Finding {
  const lines = shown.split("\n");
  const from = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
  const end = lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) - 1;
  return { from, to: Math.max(from, end), severity: "error", message };
}
