// Who executes the steps of agents that are bound to nothing.

import { useQuery } from "@tanstack/react-query";
import { systemStatus } from "~/api/system";
import type { RunSummary } from "~/api/types";
import { executor as text } from "~/text/en/executor";
import { Select } from "~/ui/Select";

export type Executor = RunSummary["executor_id"];

interface ExecutorFieldProps {
  value: Executor;
  onValueChange: (value: Executor) => void;
}

export function ExecutorField({ value, onValueChange }: ExecutorFieldProps) {
  const status = useQuery(systemStatus()).data;
  return (
    <Select
      label={text.label}
      hint={text.hint}
      options={(status?.executors ?? []).map(({ id, available }) => ({
        value: id,
        label: text.names[id],
        disabled: !available,
        ...(available ? {} : { detail: text.unavailable }),
      }))}
      value={value}
      onValueChange={onValueChange}
    />
  );
}
