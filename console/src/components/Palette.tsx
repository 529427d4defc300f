// Go anywhere by typing: pages, recent Runs, flows, tasks. Loaded when it is first opened.

import { Dialog } from "@base-ui/react/dialog";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Keyboard, Plus } from "lucide-react";
import { type ReactNode, type RefObject, useCallback, useState } from "react";
import { savedFlows } from "~/api/flows";
import { runList } from "~/api/runs";
import { taskList } from "~/api/tasks";
import { nameOf } from "~/pages/tasks/named";
import { common as text } from "~/text/en/common";
import { StateIcon } from "~/ui/Badge";
import { cx } from "~/ui/cx";
import { BACKDROP, POPUP } from "~/ui/popup";
import { PLACES } from "./places";

/** Of each list; more would hide the rest. */
const SHOWN = 20;

const ICON = "size-4 text-ink-3";

interface PaletteProps {
  /** What was typed while this was being loaded. */
  typed: RefObject<string>;
  onClose: () => void;
  onKeys: () => void;
}

export default function Palette({ typed, onClose, onKeys }: PaletteProps) {
  const [search, setSearch] = useState("");
  // Not before: as long as it is not in the page, keys are kept for it.
  const isThere = useCallback(
    (field: HTMLInputElement | null) => {
      if (field !== null && typed.current !== "") setSearch(typed.current);
    },
    [typed],
  );
  const navigate = useNavigate();
  const runs = useInfiniteQuery(runList({})).data?.pages[0]?.items ?? [];
  const tasks = useInfiniteQuery(taskList({})).data?.pages[0]?.items ?? [];
  const flows = useQuery(savedFlows()).data ?? [];
  const then = (act: () => void) => () => {
    onClose();
    act();
  };

  return (
    <Dialog.Root open onOpenChange={(open) => open || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={BACKDROP} />
        <Dialog.Popup
          aria-label={text.palette.label}
          className={cx(POPUP, "fixed inset-x-3 top-[12vh] z-50 mx-auto max-w-xl")}
        >
          <Command label={text.palette.label} loop className="flex max-h-[60vh] flex-col">
            <Command.Input
              autoFocus
              ref={isThere}
              value={search}
              onValueChange={setSearch}
              placeholder={text.palette.placeholder}
              className="h-12 w-full border-line border-b bg-transparent px-4 text-base outline-none placeholder:text-ink-3"
            />
            <Command.List className="min-h-0 flex-1 overflow-y-auto p-2">
              <Command.Empty className="px-3 py-6 text-center text-ink-2 text-sm">{text.palette.nothing}</Command.Empty>
              <Group heading={text.palette.pages}>
                {PLACES.map(({ to, label, icon: Icon, key }) => (
                  <Item
                    key={to}
                    value={`page ${label}`}
                    icon={<Icon aria-hidden className={ICON} />}
                    hint={`g ${key}`}
                    onSelect={then(() => void navigate({ to }))}
                  >
                    {label}
                  </Item>
                ))}
              </Group>
              <Group heading={text.palette.actions}>
                <Item
                  value="new flow"
                  icon={<Plus aria-hidden className={ICON} />}
                  onSelect={then(() => void navigate({ to: "/flows/new" }))}
                >
                  {text.palette.newFlow}
                </Item>
                <Item
                  value="keyboard shortcuts"
                  icon={<Keyboard aria-hidden className={ICON} />}
                  hint="?"
                  onSelect={then(onKeys)}
                >
                  {text.palette.shortcuts}
                </Item>
              </Group>
              <Group heading={text.palette.runs}>
                {runs.slice(0, SHOWN).map((run) => (
                  <Item
                    key={run.run_id}
                    value={`run ${run.run_id} ${run.flow_id}`}
                    icon={<StateIcon state={run.waiting ? "waiting" : run.status} />}
                    onSelect={then(() => void navigate({ to: "/runs/$runId", params: { runId: run.run_id } }))}
                  >
                    {run.flow_id}
                    <span className="ml-2 font-mono text-ink-3 text-xs">{run.run_id}</span>
                  </Item>
                ))}
              </Group>
              <Group heading={text.palette.flows}>
                {flows.slice(0, SHOWN).map((flow) => (
                  <Item
                    key={flow.flow_id}
                    value={`flow ${flow.name} ${flow.flow_id}`}
                    onSelect={then(() => void navigate({ to: "/flows/$flowId", params: { flowId: flow.flow_id } }))}
                  >
                    {flow.name}
                  </Item>
                ))}
              </Group>
              <Group heading={text.palette.tasks}>
                {tasks.slice(0, SHOWN).map((task) => (
                  <Item
                    key={task.task_id}
                    value={`task ${task.task_id} ${task.agent} ${nameOf(task)}`}
                    icon={<StateIcon state={task.status} />}
                    onSelect={then(() => void navigate({ to: "/tasks/$taskId", params: { taskId: task.task_id } }))}
                  >
                    <span className="min-w-0 truncate">{nameOf(task)}</span>
                    <span className="ml-2 shrink-0 text-ink-3 text-xs">{task.agent}</span>
                  </Item>
                ))}
              </Group>
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode[] | ReactNode }) {
  if (Array.isArray(children) && children.length === 0) return null;
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-3 [&_[cmdk-group-heading]]:text-xs"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  value: string;
  icon?: ReactNode;
  hint?: string;
  onSelect: () => void;
  children: ReactNode;
}

function Item({ value, icon, hint, onSelect, children }: ItemProps) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex cursor-default items-center gap-2.5 rounded-md px-2 py-1.5 text-sm data-[selected=true]:bg-hover"
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {hint === undefined ? null : <span className="text-ink-3 text-xs">{hint}</span>}
    </Command.Item>
  );
}
