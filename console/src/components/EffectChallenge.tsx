// What a Run may write, before it may: a plain list of what, who and where, and one box to tick.

import type { Challenge } from "~/api/types";
import { flows } from "~/text/en/flows";
import { Checkbox } from "~/ui/Choice";

const words = flows.run.authorize;

interface EffectChallengeProps {
  challenge: Challenge;
  /** The folder that local writes go to, if it is known. */
  workspace?: string | undefined;
  confirmed: boolean;
  onConfirmedChange: (confirmed: boolean) => void;
}

export function EffectChallenge({ challenge, workspace, confirmed, onConfirmedChange }: EffectChallengeProps) {
  return (
    <div className="flex flex-col gap-3">
      <table aria-label={words.label} className="w-full text-left text-sm">
        <thead className="text-ink-3 text-xs">
          <tr>
            {[words.what, words.who, words.where].map((header) => (
              <th key={header} scope="col" className="border-line border-b py-1.5 pr-3 font-medium">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {challenge.effects.map(({ effect, node_ids: nodes, risk }) => (
            <tr key={effect} className="align-top">
              <td className="border-line border-b py-2 pr-3">
                <span className="font-medium">{flows.effects[effect] ?? effect}</span>
                <span className="block text-ink-2 text-xs">{risk}</span>
              </td>
              <td className="border-line border-b py-2 pr-3">{nodes.join(", ")}</td>
              <td className="break-words border-line border-b py-2">
                {effect === "write_local" ? words.workspace : words.outside}
                {effect === "write_local" && workspace ? (
                  <span className="block font-mono text-ink-3 text-xs">{workspace}</span>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Checkbox label={words.confirm} checked={confirmed} onCheckedChange={onConfirmedChange} />
    </div>
  );
}
