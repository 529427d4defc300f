// What the flow itself says: its name, its id, what it asks for.

import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { savedFlows } from "~/api/flows";
import { flows as text } from "~/text/en/flows";
import { Button } from "~/ui/Button";
import { TextArea, TextField } from "~/ui/Field";
import { useEditor, useEditorStore, viewOf } from "./editor";
import type { Facts } from "./facts";
import { at } from "./findings";
import { InputFields } from "./InputFields";
import { idsOf, nameNew } from "./ids";
import { setFlowField } from "./operations";

const words = text.flow;

interface FlowPanelProps {
  facts: Facts;
  /** `null`: it was never saved. */
  localId: string | null;
}

export function FlowPanel({ facts, localId }: FlowPanelProps) {
  const flow = useEditor(viewOf);
  const saved = useQuery(savedFlows()).data ?? [];
  const others = saved.filter((one) => one.flow_id !== localId);
  const same = others.find((one) => one.flow.id === flow.id);
  const { change } = useEditorStore().getState();
  const set = (path: readonly [string, ...string[]], value: unknown) =>
    void change((document) => setFlowField(document, path, value), path.join("."));
  const wrong = (...path: string[]) => at(facts.findings, undefined, path);
  const names = Object.keys(flow.inputs);
  const free = () => {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? "input" : `input-${number}`;
      if (!names.includes(name)) return name;
    }
  };
  return (
    <section aria-label={words.title} className="flex flex-col gap-4 p-3">
      <h2 className="font-semibold text-base">{words.title}</h2>
      <TextField
        label={words.name}
        value={flow.name}
        error={wrong("name")}
        onValueChange={(value) => {
          if (localId === null) change((document) => nameNew(document, value, idsOf(others)), "name");
          else set(["name"], value);
        }}
      />
      <TextField
        label={words.id}
        hint={words.idHint}
        value={flow.id}
        error={wrong("id") ?? (same === undefined ? undefined : words.idTaken(same.name))}
        onValueChange={(value) => set(["id"], value)}
      />
      <TextArea
        label={words.description}
        hint={words.descriptionHint}
        rows={3}
        value={flow.description}
        error={wrong("description")}
        onValueChange={(value) => set(["description"], value)}
      />
      <div className="flex flex-col gap-2">
        <h3 className="font-medium text-ink-2 text-xs">{words.inputs}</h3>
        {names.length === 0 ? <p className="text-ink-3 text-sm">{words.inputsNone}</p> : null}
        {names.map((name) => (
          <InputFields key={name} name={name} set={set} wrong={wrong} />
        ))}
        <Button
          size="sm"
          icon={Plus}
          className="self-start"
          onClick={() => set(["inputs", free()], { type: "string" })}
        >
          {words.inputAdd}
        </Button>
      </div>
    </section>
  );
}
