// Versions.

import { History } from "lucide-react";
import { Page } from "~/components/Page";
import { flowVersions as text } from "~/text/en/flowVersions";
import { Empty } from "~/ui/Empty";

export function FlowVersionsPage() {
  return (
    <Page title={text.title}>
      <Empty icon={History} title={text.empty.title}>
        {text.empty.body}
      </Empty>
    </Page>
  );
}
