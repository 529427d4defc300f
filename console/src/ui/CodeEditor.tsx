// A document as text, with an editor that is loaded when it is first needed. The editor lives in a shadow root: there it
// can set its styles without a `<style>` element, which the content security policy would not let in.

import { lazy, Suspense } from "react";
import type { CodeEditorProps } from "./CodeMirror";
import { SkeletonLines } from "./Skeleton";

const Editor = lazy(() => import("./CodeMirror"));

export type { CodeEditorProps, Finding } from "./CodeMirror";

export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<SkeletonLines lines={8} />}>
      <Editor {...props} />
    </Suspense>
  );
}
