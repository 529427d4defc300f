// The pages one can go to: the navigation, the palette and the go-to keys read this table.

import { Bot, CalendarClock, House, ListChecks, type LucideIcon, Play, Settings, Workflow } from "lucide-react";
import { common as text } from "~/text/en/common";

export interface Place {
  to: "/" | "/flows" | "/runs" | "/tasks" | "/capabilities" | "/schedules" | "/settings";
  label: string;
  icon: LucideIcon;
  /** The key behind `g`. */
  key: string;
}

export const PLACES: readonly Place[] = [
  { to: "/", label: text.nav.home, icon: House, key: "h" },
  { to: "/flows", label: text.nav.flows, icon: Workflow, key: "f" },
  { to: "/runs", label: text.nav.runs, icon: Play, key: "r" },
  { to: "/tasks", label: text.nav.tasks, icon: ListChecks, key: "t" },
  { to: "/capabilities", label: text.nav.capabilities, icon: Bot, key: "c" },
  { to: "/schedules", label: text.nav.schedules, icon: CalendarClock, key: "s" },
  { to: "/settings", label: text.nav.settings, icon: Settings, key: "," },
];
