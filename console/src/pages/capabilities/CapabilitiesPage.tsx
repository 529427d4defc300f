// What the steps of a flow can be bound to, and the agents of the channel.

import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Page } from "~/components/Page";
import { capabilities as text } from "~/text/en/capabilities";
import { Tabs } from "~/ui/Tabs";
import { AgentsView } from "./AgentsView";
import { CapabilitiesView } from "./CapabilitiesView";

const route = getRouteApi("/capabilities");

export function CapabilitiesPage() {
  const tab = route.useSearch({ select: (search) => search.tab });
  const navigate = useNavigate();
  return (
    <Page title={text.title} lead={text.lead}>
      <Tabs
        label={text.tabs.label}
        value={tab === "agents" ? "agents" : "capabilities"}
        onValueChange={(next) =>
          void navigate({ to: "/capabilities", search: next === "agents" ? { tab: next } : {}, replace: true })
        }
        tabs={[
          { value: "capabilities", label: text.tabs.capabilities, content: <CapabilitiesView /> },
          { value: "agents", label: text.tabs.agents, content: <AgentsView /> },
        ]}
      />
    </Page>
  );
}
