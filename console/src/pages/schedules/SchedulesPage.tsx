// Schedules.

import { CalendarClock } from "lucide-react";
import { Page } from "~/components/Page";
import { schedules as text } from "~/text/en/schedules";
import { Empty } from "~/ui/Empty";

export function SchedulesPage() {
  return (
    <Page title={text.title}>
      <Empty icon={CalendarClock} title={text.empty.title}>
        {text.empty.body}
      </Empty>
    </Page>
  );
}
