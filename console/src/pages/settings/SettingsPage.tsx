// Where this Segue keeps things.

import { useQuery } from "@tanstack/react-query";
import { systemStatus } from "~/api/system";
import { Page } from "~/components/Page";
import { settings as text } from "~/text/en/settings";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";

export function SettingsPage() {
  const { data, error, refetch } = useQuery(systemStatus());
  return (
    <Page title={text.title}>
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Panel title={text.about}>
        {data === undefined ? (
          <SkeletonLines />
        ) : (
          <KeyValue
            facts={[
              [text.facts.workspace, data.workspace_name],
              [text.facts.state, <Mono key="state">{data.state_root}</Mono>],
            ]}
          />
        )}
      </Panel>
    </Page>
  );
}
