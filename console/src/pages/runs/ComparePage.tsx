// Compare Runs.

import { GitCompare } from "lucide-react";
import { Page } from "~/components/Page";
import { compare as text } from "~/text/en/compare";
import { Empty } from "~/ui/Empty";

export function ComparePage() {
  return (
    <Page title={text.title}>
      <Empty icon={GitCompare} title={text.empty.title}>
        {text.empty.body}
      </Empty>
    </Page>
  );
}
