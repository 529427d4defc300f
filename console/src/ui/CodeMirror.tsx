// The editor behind CodeEditor. Nobody imports it but CodeEditor, which loads it late.

import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useEffectEvent, useRef } from "react";

/** Something that is wrong with a part of the text. */
export interface Finding {
  from: number;
  to: number;
  severity: "error" | "warning" | "info";
  message: string;
}

export interface CodeEditorProps {
  /** What it is; read aloud. */
  label: string;
  value: string;
  onChange?: (value: string) => void;
  language: "yaml" | "json" | "text";
  readOnly?: boolean;
  findings?: readonly Finding[];
  className?: string;
}

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "12px", color: "var(--ink)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--ink-3)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", border: "1px solid var(--line)", color: "var(--ink)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ok)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--run)" },
  { tag: [tags.comment, tags.meta], color: "var(--ink-3)", fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const LANGUAGES = { yaml: () => yaml(), json: () => json(), text: () => [] };

export default function CodeMirror(props: CodeEditorProps) {
  const { label, value, onChange, language, readOnly = false, findings, className } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const parts = useRef({ language: new Compartment(), access: new Compartment() });
  const changed = useEffectEvent((next: string) => onChange?.(next));
  const first = useEffectEvent(() => ({ value, language, readOnly, label }));

  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const start = first();
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: start.value,
        extensions: [
          lineNumbers(),
          foldGutter(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          autocompletion(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          lintGutter(),
          // Tab leaves the editor, as everywhere on the page.
          keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
          theme,
          syntaxHighlighting(colours),
          EditorView.contentAttributes.of({ "aria-label": start.label }),
          parts.current.language.of(LANGUAGES[start.language]()),
          parts.current.access.of(access(start.readOnly)),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed(update.state.doc.toString());
          }),
        ],
      }),
    });
    // What scrolls can be reached by keys.
    editor.scrollDOM.tabIndex = 0;
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, []);

  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.language.reconfigure(LANGUAGES[language]()) });
  }, [language]);

  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.access.reconfigure(access(readOnly)) });
  }, [readOnly]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const end = editor.state.doc.length;
    const within = (findings ?? []).map((finding): Diagnostic => {
      const from = Math.min(Math.max(0, finding.from), end);
      return { ...finding, from, to: Math.min(Math.max(from, finding.to), end) };
    });
    editor.dispatch(setDiagnostics(editor.state, within));
  }, [findings]);

  return <div ref={host} className={className ?? "h-full min-h-0"} />;
}

function access(readOnly: boolean) {
  return [EditorState.readOnly.of(readOnly), EditorView.editable.of(!readOnly)];
}
