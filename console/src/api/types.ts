// Short names for the shapes of the API. All of them come from docs/openapi.json.

import type { components } from "./schema";

type Schemas = components["schemas"];

export type Challenge = Schemas["EffectAuthorizationRequired"];
export type EffectAuthorization = Schemas["EffectAuthorization"];
export type RunSummary = Schemas["RunSummary"];
export type RunEvent = Schemas["RunEvent"];
export type RunEventPage = Schemas["RunEventPage"];
export type RunOutcome = Schemas["RunOutcome"];
export type NodeDetail = Schemas["NodeDetail"];
export type NodeCall = Schemas["NodeCall"];
export type RunDetail = Schemas["RunDetail"];
export type Change = Schemas["Change"];
export type RunComparisonReport = Schemas["RunComparisonReport"];
export type RunStabilityReport = Schemas["RunStabilityReport"];
export type Why = Schemas["Why"];
export type SavedFlow = Schemas["SavedFlow"];
export type Task = Schemas["Task"];
export type TaskReceipt = Schemas["TaskReceipt"];
export type TaskEvent = Schemas["TaskEvent"];
export type Capability = Schemas["Capability"];
export type SystemStatus = Schemas["SystemStatus"];
export type FlowPlan = Schemas["FlowPlan"];
export type FlowValidation = Schemas["FlowValidation"];
export type FlowTemplate = Schemas["FlowTemplate"];
export type RunFlow = Schemas["RunFlow"];
export type RunPreview = Schemas["RunPreview"];
export type FlowVersion = Schemas["FlowVersion"];
export type FlowDifference = Schemas["FlowDifference"];
export type FlowChange = Schemas["FlowChange"];
