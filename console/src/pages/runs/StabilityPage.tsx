// Stability.

import { Activity } from "lucide-react";
import { Page } from "~/components/Page";
import { stability as text } from "~/text/en/stability";
import { Empty } from "~/ui/Empty";

export function StabilityPage() {
  return (
    <Page title={text.title}>
      <Empty icon={Activity} title={text.empty.title}>
        {text.empty.body}
      </Empty>
    </Page>
  );
}
