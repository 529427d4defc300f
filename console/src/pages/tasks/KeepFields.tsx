// For how long an agent is kept: seconds without a turn, and further turns.

import { useState } from "react";
import { TextField } from "~/ui/Field";
import { IDLE, TURNS, whole } from "./limits";

export interface Keep {
  typed: { idle: string; turns: string };
  onType: (change: Partial<Keep["typed"]>) => void;
  /** `null`: nothing was typed; `undefined`: what was typed is no number in range. */
  idle: number | null | undefined;
  turns: number | null | undefined;
}

export function useKeep(): Keep {
  const [typed, setTyped] = useState({ idle: "", turns: "" });
  return {
    typed,
    onType: (change) => setTyped((held) => ({ ...held, ...change })),
    idle: whole(typed.idle, IDLE),
    turns: whole(typed.turns, TURNS),
  };
}

export function isSound({ idle, turns }: Keep): boolean {
  return idle !== undefined && turns !== undefined;
}

interface KeepFieldsProps {
  keep: Keep;
  words: Readonly<Record<"idle" | "idleHint" | "idleError" | "turns" | "turnsHint" | "turnsError", string>>;
  /** What is wrong is said once something was to be sent. */
  tried: boolean;
}

export function KeepFields({ keep, words, tried }: KeepFieldsProps) {
  return (
    <>
      <TextField
        label={words.idle}
        hint={words.idleHint}
        inputMode="numeric"
        value={keep.typed.idle}
        onValueChange={(idle) => keep.onType({ idle })}
        error={tried && keep.idle === undefined ? words.idleError : null}
      />
      <TextField
        label={words.turns}
        hint={words.turnsHint}
        inputMode="numeric"
        value={keep.typed.turns}
        onValueChange={(turns) => keep.onType({ turns })}
        error={tried && keep.turns === undefined ? words.turnsError : null}
      />
    </>
  );
}
