// What an operation did besides, and what was refused, as notices.

import type { Telling } from "~/canvas/editor";
import type { Note } from "~/canvas/operations";
import { savePositions } from "~/canvas/positions";
import { flows as text } from "~/text/en/flows";
import { toast } from "~/ui/Toast";

export function telling(positionsOf: string): Telling {
  return {
    told: (notes) => {
      for (const note of notes) toast.note(...say(note));
    },
    refused: (refusal) => void toast.note(text.refusals[refusal]),
    moved: (places) => savePositions(localStore, positionsOf, places),
  };
}

function say(note: Note): [title: string, description?: string] {
  switch (note.about) {
    case "raised":
      return note.wakes.length === 0
        ? [text.notes.raised[note.because]]
        : [text.notes.raised[note.because], text.notes.wakes(note.wakes)];
    case "repair_removed":
      return [text.notes.repairRemoved(note.step), text.notes.repairRemovedBody];
    case "gathers":
      return [text.notes.gathers(note.step), text.notes.gathersBody];
    case "consent":
      return [text.notes.consent(note.step, note.person, note.answer), text.notes.consentBody];
    case "receives_one":
      return [text.notes.receivesOne(note.step), text.notes.receivesOneBody];
  }
}

/** The browser's store, which may be switched off. */
export const localStore = {
  getItem: (key: string) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  setItem: (key: string, value: string) => localStorage.setItem(key, value),
  removeItem: (key: string) => localStorage.removeItem(key),
};
