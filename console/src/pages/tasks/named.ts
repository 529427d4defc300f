// What a task is called: how its prompt begins, or whose it is.

import { task as text } from "~/text/en/task";

export function nameOf({ title, agent }: { title?: string; agent: string }): string {
  return title ?? text.title(agent);
}
