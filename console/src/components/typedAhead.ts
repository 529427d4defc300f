// Keys that are pressed between opening a window with a field to type in and that field being there. They belong to the
// field: what comes too early is kept for it, and the first key that finds it goes into it.

import { type RefObject, useEffect, useRef } from "react";

/** Longer than anybody types ahead. */
const TYPED_MAX = 200;
const FIELD = "[cmdk-input]";

/** What was typed since `open` turned true, for as long as the window's field was not there. */
export function useTypedAhead(open: boolean): RefObject<string> {
  const typed = useRef("");
  useEffect(() => {
    if (!open) return;
    typed.current = "";
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const field = document.querySelector<HTMLElement>(FIELD);
      if (field !== null) {
        const [above, held] = [field.closest("[role=dialog]"), document.activeElement];
        // A key that writes goes to whoever has the focus when it has been listened to.
        if (held === above || !above?.contains(held)) field.focus();
        return;
      }
      if (event.key === "Backspace") typed.current = typed.current.slice(0, -1);
      else if (event.key.length === 1) typed.current = (typed.current + event.key).slice(0, TYPED_MAX);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    window.addEventListener("keydown", pressed, true);
    return () => window.removeEventListener("keydown", pressed, true);
  }, [open]);
  return typed;
}
