// New flow.

import { Workflow } from "lucide-react";
import { Page } from "~/components/Page";
import { newFlow as text } from "~/text/en/newFlow";
import { Empty } from "~/ui/Empty";

export function NewFlowPage() {
  return (
    <Page title={text.title}>
      <Empty icon={Workflow} title={text.empty.title}>
        {text.empty.body}
      </Empty>
    </Page>
  );
}
