// Generated from docs/openapi.json by `npm run api`. Do not edit.

export interface paths {
    "/api/flow-artifacts/{artifact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bytes of an artifact, as under its versioned address. */
        get: operations["getFlowArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flow-nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The types of nodes. */
        get: operations["listNodeTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flow-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a flow can begin with. */
        get: operations["listFlowTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The saved flows, newest first. */
        get: operations["listFlows"];
        put?: never;
        /** Saves a new flow, pinned to the capabilities as they are now. */
        post: operations["saveFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/{local_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One saved flow. */
        get: operations["getFlow"];
        /** Replaces a saved flow. Runs under way keep what they were admitted with. */
        put: operations["replaceFlow"];
        post?: never;
        /** Deletes a saved flow. Its Runs stay. */
        delete: operations["deleteFlow"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/{local_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Admits a Run of a saved flow. */
        post: operations["runSavedFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/draft": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a document of a template. Nothing is stored. */
        post: operations["draftFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/render-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a document would do here and now, also of one that cannot be run. Nothing is stored. */
        post: operations["planFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs with all that their steps returned, newest first, a page at a time. */
        get: operations["listRunProjections"];
        put?: never;
        /** Saves a new flow and admits a Run of it: both, or neither. */
        post: operations["saveAndRunFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A Run with all that its steps returned. */
        get: operations["getRunProjection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Requests the end of a Run: 202 if this request moved it from running, else 200. */
        post: operations["cancelRunProjection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/flows/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Whether a document can be run. Nothing is stored. */
        post: operations["validateFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/artifacts/{artifact_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The bytes of an artifact, unchanged. */
        get: operations["getArtifactContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The capabilities. One whose program is gone is unavailable. */
        get: operations["listCapabilities"];
        put?: never;
        /** Saves a new capability. */
        post: operations["saveCapability"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/capabilities/{capability_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Deletes a capability that no saved flow uses. */
        delete: operations["deleteCapability"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/capabilities/{capability_id}/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tries a saved capability and keeps what was seen. */
        post: operations["probeCapability"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/capabilities/discover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Looks for agents on this machine. Nothing is stored. */
        post: operations["discoverCapabilities"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/capabilities/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Checks a definition and, with `probe`, tries it. Nothing is stored. */
        post: operations["validateCapability"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The agents that tasks can be given to, and which of them are installed here. */
        get: operations["listAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/agents/{agent}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What an agent offers. Starts it for that, and ends it again. */
        get: operations["describeAgent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/agents/{agent}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The sessions that an agent has of a workspace. Starts it for that, and ends it again. */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/kept-agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Agents that are kept after a turn, and turns that will keep theirs. */
        get: operations["listKeptAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/kept-agents/{handle}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a kept agent and returns once its end is known. */
        delete: operations["releaseAgent"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/kept-agents/{handle}/extensions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keeps an agent for longer. */
        post: operations["extendAgent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/task-counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How many tasks of each status there are, over all servers of the state folder. */
        get: operations["countTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The tasks of every server of the state folder, newest first. */
        get: operations["listTasks"];
        put?: never;
        /** Starts one turn of an agent. A task that could not be started comes back as failed. */
        post: operations["dispatchTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One task in full. */
        get: operations["getTask"];
        put?: never;
        post?: never;
        /** Removes a finished and resolved task from the record. */
        delete: operations["forgetTask"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/tasks/{task_id}/cancellations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a task and returns once it has ended. */
        post: operations["cancelTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/tasks/{task_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of a task in order, one page at a time. */
        get: operations["listTaskEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/tasks/{task_id}/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of a task as they are recorded, each once and in order. `Last-Event-ID` or `after` says where to go on; the event `end` is the last one. */
        get: operations["streamTaskEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/channel/tasks/{task_id}/resolutions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Records a judgement of a finished task. The last one counts. */
        post: operations["resolveTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which Runs and tasks changed, as it happens, each once and as it is by then. `Last-Event-ID` or `after` says where to go on; the first event says where the stream begins. */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flow-suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Which granularity suits a description, and what there is to run it with. Nothing is stored or run. */
        post: operations["suggestFlow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The built-in flow of each task. */
        get: operations["listBuiltInFlows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{flow_id}/difference": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What is different between two versions of a saved flow. */
        get: operations["compareFlowVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{flow_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a Run of a saved flow would do and have to be allowed, by its portable or its local id. Nothing is stored. */
        post: operations["previewRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{flow_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Admits a Run of the one saved flow with this portable id. */
        post: operations["admitRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{flow_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The versions of a saved flow, by its portable or its local id. */
        get: operations["listFlowVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/flows/{flow_id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One version of a saved flow, with its document. */
        get: operations["getFlowVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integration-bundles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Installs all of a bundle whose plan was seen, or nothing. */
        post: operations["installBundle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/integration-bundles/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What an installation would do. Nothing is stored. */
        post: operations["previewBundle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document. */
        get: operations["getDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/run-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Runs of some flows, newest first. */
        get: operations["getRunHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The Runs, newest first. */
        get: operations["listRuns"];
        put?: never;
        /** Admits a Run of a local task's built-in flow. */
        post: operations["runTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One Run in short. */
        get: operations["getRun"];
        put?: never;
        post?: never;
        /** Removes a Run that has ended, with everything that was recorded of it. What other Runs took over of it stays. */
        delete: operations["forgetRun"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/cancellations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Requests the end of a Run: 202 if this request moved it from running, else 200. */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/comparison": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Two Runs of one task and flow side by side. */
        get: operations["compareRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where a Run came from, what it was allowed to do, what became of a request to cancel it. */
        get: operations["getRunDetail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of a Run, one page at a time: upwards or downwards, of some types or of one node. */
        get: operations["listRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The events of a Run as they are recorded, each once and in order. `Last-Event-ID` or `after` says where to go on; the event `end` is the last one. */
        get: operations["streamRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that was recorded of a Run. */
        get: operations["getRunEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/flow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What a Run executes, as it was when the Run was admitted. */
        get: operations["getRunFlow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/forks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs a node of an ended Run and all that follows it again, in a new Run. */
        post: operations["forkRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/nodes/{node_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What one node that was reached accepted and returned. */
        get: operations["getRunNode"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/nodes/{node_id}/answers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answers the question of a `human.task`. */
        post: operations["answerNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/nodes/{node_id}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decides about a node that may have written before it was lost. */
        post: operations["decideNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/nodes/{node_id}/detail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One node of a Run in full, also one that was not reached: what it accepted, who executed it how often, what it returned. */
        get: operations["getRunNodeDetail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/outcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How far a Run is, what it made, why it failed. */
        get: operations["getRunOutcome"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/replay-plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What a replay would take over, and why not the rest. Nothing is stored. */
        post: operations["planReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Runs the flow as it is saved now with every unchanged result of the parent. */
        post: operations["replayRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/restorations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Loads a Run again that was set aside because it could not be loaded. One that was active goes on. */
        post: operations["restoreRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What blocks a Run, or why it ended as it did. */
        get: operations["getRunWhy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/samples/http-json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Gives the context back with a mark. */
        post: operations["callSample"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedule-previews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The next three ticks of a cron pattern in a time zone, or why it is none. Nothing is stored. */
        post: operations["previewSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Schedules, in the order in which they were added. */
        get: operations["listSchedules"];
        put?: never;
        /** Runs a saved flow at each tick of a cron pattern in a time zone, while a server has this workspace open. */
        post: operations["addSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{schedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One schedule with what was recorded of it: ticks, their Runs, and those that have none with the reason. */
        get: operations["getSchedule"];
        /** Enables or disables a schedule. */
        put: operations["changeSchedule"];
        post?: never;
        /** Removes a schedule. A Run that it has started goes on. */
        delete: operations["removeSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Where this server keeps things, and what it works in. */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/system/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What runs here, and which executors are installed. */
        get: operations["getSystemStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The local tasks, those of saved flows among them, newest first. */
        get: operations["listLocalTasks"];
        put?: never;
        /** Adds a task that runs the built-in flow of its granularity. */
        post: operations["addLocalTask"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/stability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a flow of a task behaved over its Runs. */
        get: operations["getStability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/waiting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Everything that waits for somebody, over all Runs of the workspace. */
        get: operations["listWaiting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description `flow_id` is the portable id or the local one. What writes needs the authorization of the challenge that comes back. */
        AddScheduleRequest: {
            cron: string;
            effect_authorization?: components["schemas"]["EffectAuthorization"] | null;
            /** @enum {string} */
            executor?: "deterministic" | "codex" | "opencode";
            flow_id: string;
            inputs?: Record<string, unknown>;
            /** @enum {string} */
            missed?: "skip" | "run_once";
            /** @enum {string} */
            overlap?: "skip" | "allow";
            time_zone: string;
            /** @enum {string} */
            version?: "latest" | "pinned";
        };
        /** @description As the agent offers it. `model` and `effort` are null when it offers none. */
        AgentDescription: {
            agent: string;
            agent_name: string | null;
            agent_version: string | null;
            delivery: Record<string, unknown>;
            effort: {
                current: string | null;
                values: string[];
            } | null;
            model: {
                current: string | null;
                values: string[];
            } | null;
            pins: Record<string, unknown>;
            pins_with_edit: Record<string, unknown>;
        };
        /** @description `path` is the agent's program on this machine, null when it cannot be started here: `problem` then says why. Nothing was started to tell. `nested`: this runtime runs inside an agent, so nothing is dispatched. */
        AgentList: {
            items: {
                agent: string;
                path: string | null;
                problem: string | null;
            }[];
            nested: boolean;
            workspace: string;
        };
        /** @description An answer to the question of a `human.task`. */
        Answer: {
            actor?: string | null;
            form?: Record<string, unknown> | null;
            option: string;
        };
        Artifact: {
            artifact_id: string;
            content_url: string;
            media_type: string;
            name: string;
            node_id: string;
            relative_path: string;
            run_id: string;
            sha256: string;
        };
        /** @description An artifact without its content. */
        ArtifactRef: {
            artifact_id: string;
            bytes: number;
            content_url: string;
            media_type: string;
            name: string;
            sha256: string;
        };
        AuthorizedRunForkRequest: {
            /** @constant */
            contract_version: "symphlo.authorized-run-fork-request.v1";
            effect_authorization: components["schemas"]["EffectAuthorization"] | null;
            from_node_id: string;
        };
        AuthorizedRunRequest: {
            /** @constant */
            contract_version: "symphlo.authorized-run-request.v1";
            effect_authorization: components["schemas"]["EffectAuthorization"] | null;
            /** @enum {string} */
            executor: "deterministic" | "codex" | "opencode";
            inputs: Record<string, unknown>;
        };
        /** @description What is recorded of a cancellation. `ended_at` is when the Run was over: nothing of it executed any more but what `unconfirmed_node_ids` may have left. */
        CancellationReceipt: {
            actor: string | null;
            cancelled_node_ids: string[];
            ended_at: string | null;
            reason: string;
            /** Format: date-time */
            requested_at: string;
            unconfirmed_node_ids: string[];
        };
        Capability: {
            config: Record<string, unknown>;
            description: string;
            effects: ("pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process")[];
            fingerprint: string;
            id: string;
            /** @enum {string} */
            kind: "agent_cli" | "model_cli" | "evaluator_cli" | "cli" | "mcp_stdio" | "http" | "acp_agent" | "mcp_http";
            last_probe: components["schemas"]["ProbeRecord"] | null;
            name: string;
            /** @enum {string} */
            source: "manual" | "discovered" | "sample";
            /** @enum {string} */
            status: "validated" | "ready" | "unavailable";
            timeout_seconds: number;
            version: string;
        };
        CapabilityDefinition: {
            config?: Record<string, unknown>;
            description?: string;
            effects?: ("pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process")[];
            id?: string;
            /** @enum {string} */
            kind: "agent_cli" | "model_cli" | "evaluator_cli" | "cli" | "mcp_stdio" | "http" | "acp_agent" | "mcp_http";
            name: string;
            probe?: boolean;
            source?: string;
            timeout_seconds?: number;
        };
        CapabilityRequest: {
            capability: components["schemas"]["CapabilityDefinition"];
            probe?: boolean;
        };
        /** @description `probe` only when it was asked for. */
        CapabilityValidation: {
            capability: components["schemas"]["Capability"];
            probe?: components["schemas"]["ProbeRecord"];
            problems: string[];
            valid: boolean;
        };
        /** @description A Run of this workspace or a task of the channel that changed, as it is now. `sequence` is its last event. Of several changes that came together only the last is told. */
        Change: {
            ended: boolean;
            /** @constant */
            kind: "run";
            run_id: string;
            sequence: number;
            /** @enum {string} */
            status: "running" | "cancel_requested" | "succeeded" | "failed" | "cancelled";
            waiting: boolean;
        } | {
            /** @constant */
            kind: "task";
            sequence: number;
            /** @enum {string} */
            status: "created" | "starting" | "running" | "succeeded" | "failed" | "cancelled";
            task_id: string;
        } | {
            /** @constant */
            kind: "position";
            position?: number;
        };
        /** @description A fork with other inputs; null takes one away. Results that are taken over are not made again for them. */
        ChangedRunForkRequest: {
            /** @constant */
            contract_version: "segue.changed-run-fork-request.v1";
            effect_authorization: components["schemas"]["EffectAuthorization"] | null;
            from_node_id: string;
            inputs: Record<string, unknown>;
        };
        /** @description Ticks that pass while it is disabled are not missed. */
        ChangeScheduleRequest: {
            enabled: boolean;
        };
        ComparedRun: {
            finished_at: string | null;
            forked_from_node_id: string | null;
            parent_run_id: string | null;
            run_id: string;
            /** Format: date-time */
            started_at: string;
            /** @enum {string} */
            status: "running" | "cancel_requested" | "succeeded" | "failed" | "cancelled";
        };
        ComparedSide: {
            effects: ("pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process")[];
            evidence_level: string;
            /** @enum {string} */
            execution_mode: "executed" | "reused";
            executor: components["schemas"]["ExecutorReference"];
            /** @enum {string} */
            outcome: "running" | "succeeded" | "failed" | "cancelled" | "reused" | "skipped";
            /** @enum {string} */
            status: "running" | "succeeded" | "failed" | "cancelled" | "reused" | "skipped";
        };
        /** @description An accepted output. */
        ContextEntry: {
            node_id: string;
            run_id: string;
            sequence: number;
            value: Record<string, unknown>;
            value_json: string;
        };
        /** @description What becomes of a node that may have written before it was lost. */
        Decision: {
            actor?: string | null;
            /** @enum {string} */
            decision: "repeat" | "fail";
        };
        DeletedCapability: {
            capability_id: string;
            deleted: boolean;
        };
        DeletedFlow: {
            deleted: boolean;
            flow_id: string;
        };
        /** @description Sent back exactly as it was issued. */
        EffectAuthorization: {
            authorization_id: string;
            confirmation_phrase: string;
            /** @constant */
            contract_version: "symphlo.effect-authorization.v1";
        };
        /** @description What a Run may write, and the authorization for exactly that flow, input and scope. */
        EffectAuthorizationRequired: {
            authorization: components["schemas"]["EffectAuthorization"];
            authorization_id: string;
            /** @constant */
            contract_version: "symphlo.effect-authorization-required.v1";
            effects: {
                /** @enum {string} */
                effect: "pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process";
                node_ids: string[];
                risk: string;
            }[];
            flow_hash: string;
            flow_id: string;
            flow_version: string;
            input_hash: string;
            /** @constant */
            policy_version: "symphlo.effect-policy.v1";
            scope: {
                from_node_id: string | null;
                node_ids: string[];
                parent_run_id: string | null;
            };
        };
        /** @description Who does what where. `risk` is there for an effect that must be authorized. */
        EffectLine: {
            node_id: string;
            risk: string | null;
            title: string;
            /** @enum {string} */
            what: "pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process";
            where: string;
            who: string;
        };
        ExecutorReference: {
            executor_id: string;
            version: string;
        };
        ExtendedAgent: {
            /** Format: date-time */
            expires_at: string;
            handle: string;
            turns_left: number;
        };
        /** @description A value that is another one. `path` is a JSON pointer; what is not there is left out; `layout`: it only moves something on the screen. */
        FlowChange: {
            after?: unknown;
            before?: unknown;
            layout: boolean;
            path: string;
        };
        /** @description `semantic_hash` is the hash of all the rest. */
        FlowDefinition: {
            flow_id: string;
            nodes: components["schemas"]["RunFlowNode"][];
            semantic_hash: string;
            title: string;
            version: string;
        };
        /** @description Steps are told apart by their ids. `same_flow`: both compile to the same flow, so that Runs of the one count for the other. */
        FlowDifference: {
            added: string[];
            after: components["schemas"]["FlowVersion"];
            before: components["schemas"]["FlowVersion"];
            changed: {
                fields: components["schemas"]["FlowChange"][];
                step_id: string;
            }[];
            fields: components["schemas"]["FlowChange"][];
            removed: string[];
            reordered: boolean;
            same_flow: boolean;
        };
        /** @description A document that is not saved yet, with what it was made from. */
        FlowDraft: {
            assumptions: string[];
            explanation: string;
            filled_slots: {
                [key: string]: string;
            };
            flow_dsl: Record<string, unknown>;
            missing_inputs: string[];
            missing_slots: string[];
            patches_applied: {
                path: string;
                value: unknown;
            }[];
            plan: components["schemas"]["FlowPlan"];
            /** @enum {string} */
            template_id: "compact" | "balanced" | "fine";
            template_name: string;
            validation: components["schemas"]["FlowValidation"];
        };
        /** @description A template that is not known means `balanced`. `report_focus` fills the blank; `user_request` describes the work, and fills the blank if nothing else does. */
        FlowDraftRequest: {
            report_focus?: string | null;
            template_id?: string | null;
            user_request?: string | null;
        };
        /** @description `artifacts` are the steps that publish one. A document that cannot be run has a plan as well. */
        FlowPlan: {
            artifacts: {
                media_type: string;
                step_id: string;
                title: string;
            }[];
            /** @enum {string} */
            mode: "semi_auto" | "auto";
            requires_confirmation: boolean;
            steps: components["schemas"]["PlanStep"][];
            summary: string;
            title: string;
        };
        /** @description A plain rule over the words, no model is asked. `executors` are those that could run it here, and `capabilities` those that its steps could be bound to. */
        FlowSuggestion: {
            because: string[];
            capabilities: {
                id: string;
                kind: string;
                name: string;
                status: string;
            }[];
            executors: {
                available: boolean;
                /** @enum {string} */
                id: "deterministic" | "codex" | "opencode";
            }[];
            /** @enum {string} */
            granularity: "compact" | "balanced" | "fine";
            steps: string[];
            template: components["schemas"]["FlowTemplate"];
        };
        /** @description A built-in writing flow to begin with. Its id is its granularity. */
        FlowTemplate: {
            /** @enum {string} */
            default_mode: "semi_auto" | "auto";
            description: string;
            intent_tags: string[];
            name: string;
            slots: components["schemas"]["FlowTemplateSlot"][];
            supported_modes: ("semi_auto" | "auto")[];
            /** @enum {string} */
            template_id: "compact" | "balanced" | "fine";
        };
        /** @description A blank of a template. */
        FlowTemplateSlot: {
            default: string;
            description: string;
            id: string;
            name: string;
            required: boolean;
            type: string;
        };
        /** @description At most one error, the first. */
        FlowValidation: {
            errors: {
                code: string;
                message: string;
                /** @constant */
                severity: "error";
            }[];
            valid: boolean;
            warnings: unknown[];
        };
        /** @description `flow_hash` is that of the flow that it would be as things are now, null if it cannot be compiled. */
        FlowVersion: {
            current: boolean;
            description: string;
            flow?: Record<string, unknown>;
            flow_hash: string | null;
            name: string;
            /** Format: date-time */
            saved_at: string;
            step_count: number;
            task_id: string;
            version: number;
        };
        /** @description Newest first, without the documents. `next` is the `before` of the next page; null on the last one. */
        FlowVersionList: {
            items: components["schemas"]["FlowVersion"][];
            next: number | null;
        };
        ForgottenRun: {
            forgotten: boolean;
            run_id: string;
        };
        ForgottenTask: {
            forgotten: boolean;
            task_id: string;
        };
        /** @description `text` is text as it is and any other value as compact JSON: the first 120 characters; `cut` when there are more. */
        GivenInput: {
            cut: boolean;
            name: string;
            text: string;
        };
        /** @description At most 32 capabilities and 32 flows, at least one of them. */
        IntegrationBundle: {
            bundle_id: string;
            bundle_version: string;
            capabilities: Record<string, unknown>[];
            /** @constant */
            contract_version: "symphlo.integration-bundle.v1";
            flows: Record<string, unknown>[];
            name: string;
            publisher: string;
        };
        IntegrationBundleInstallation: {
            bundle_hash: string;
            bundle_id: string;
            bundle_version: string;
            /** @constant */
            contract_version: "symphlo.integration-bundle-installation.v1";
            created_capability_ids: string[];
            created_flow_ids: string[];
            reused_capability_ids: string[];
            reused_flow_ids: string[];
        };
        /** @description Hash and phrase are those of the plan. */
        IntegrationBundleInstallRequest: {
            bundle: components["schemas"]["IntegrationBundle"];
            bundle_hash: string;
            confirmation_phrase: string;
            /** @constant */
            contract_version: "symphlo.integration-bundle-install-request.v1";
        };
        /** @description What an installation would do. */
        IntegrationBundlePlan: {
            bundle_hash: string;
            bundle_id: string;
            bundle_version: string;
            capabilities: {
                /** @enum {string} */
                action: "create" | "reuse" | "conflict";
                fingerprint: string;
                id: string;
                kind: string;
                /** @enum {string} */
                reason: "not_installed" | "same_operational_fingerprint" | "different_operational_fingerprint" | "same_canonical_flow" | "different_canonical_flow" | "ambiguous_existing_portable_id";
            }[];
            confirmation_phrase: string | null;
            /** @constant */
            contract_version: "symphlo.integration-bundle-plan.v1";
            flows: {
                /** @enum {string} */
                action: "create" | "reuse" | "conflict";
                id: string;
                /** @enum {string} */
                reason: "not_installed" | "same_operational_fingerprint" | "different_operational_fingerprint" | "same_canonical_flow" | "different_canonical_flow" | "ambiguous_existing_portable_id";
            }[];
            name: string;
            publisher: string;
            /** @enum {string} */
            status: "ready" | "blocked";
            summary: {
                conflict: number;
                create: number;
                reuse: number;
            };
        };
        IntegrationBundlePreviewRequest: {
            bundle: components["schemas"]["IntegrationBundle"];
            /** @constant */
            contract_version: "symphlo.integration-bundle-preview-request.v1";
        };
        KeptAgent: {
            expires_at: string | null;
            handle: string;
            reason: string | null;
            state: string;
            turns_left: number | null;
        };
        KeptAgentExtension: {
            keep_idle?: number | null;
            keep_turns?: number | null;
        };
        /** @description Agents that are kept and turns that will keep theirs, over all servers of the state folder. `here`: it is this server's, so that it can be extended and released here. A task names its agent by the handle. */
        KeptAgentList: {
            items: {
                agent: string;
                expires_at: string | null;
                handle: string;
                here: boolean;
                keep_idle: number;
                keep_turns: number;
                server: string;
                session_id: string | null;
                state: string;
                task_id: string;
                turns_left: number | null;
                workspace: string;
            }[];
        };
        /** @description What is under way. Nothing is ended for silence. */
        LiveFacts: {
            /** Format: date-time */
            last_activity: string;
            open_tool_call: {
                id: string;
                kind: string;
                title: string;
            } | null;
            quiet_seconds: number;
            waiting_for: string;
        };
        LocalRun: {
            next_task: unknown | null;
            run: components["schemas"]["RunProjection"];
        };
        /** @description Runs a saved flow by its local id, which is never ambiguous. An executor that is not known means `deterministic`. */
        LocalRunRequest: {
            effect_authorization?: components["schemas"]["EffectAuthorization"] | null;
            executor?: string | null;
            inputs?: Record<string, unknown> | null;
        };
        /** @description `flow` is the built-in writing flow of the task's granularity. */
        LocalTask: {
            /** Format: date-time */
            created_at: string;
            flow: components["schemas"]["FlowDefinition"];
            goal: string;
            /** @enum {string} */
            granularity: "compact" | "balanced" | "fine";
            task_id: string;
            title: string;
            topic: string;
        };
        LocalTaskRequest: {
            goal: string;
            /** @enum {string} */
            granularity: "compact" | "balanced" | "fine";
            title: string;
            topic: string;
        };
        /** @description Saves the flow and runs it: both, or neither. One without an id is named after what stands in it. */
        NewRunRequest: {
            effect_authorization?: components["schemas"]["EffectAuthorization"] | null;
            executor?: string | null;
            flow: Record<string, unknown>;
            inputs?: Record<string, unknown> | null;
        };
        /** @description One call of the node's executor. `index` is the item of a `for_each` node; `subrun_id` the Run that a `flow.task` started; `task` the task of the channel, of the newest calls only; `lost_task_ids` those whose server died before anything was asked of the agent, and which were started again as `task`. */
        NodeCall: {
            attempt: number;
            duration_seconds: number | null;
            ended_at: string | null;
            failure: {
                error_type: string;
                message: string;
            } | null;
            index: number | null;
            lost_task_ids: string[];
            /** @enum {string} */
            result: "under_way" | "succeeded" | "rejected" | "failed" | "lost" | "uncertain" | "ended";
            retry_at: string | null;
            round: number;
            /** Format: date-time */
            started_at: string;
            subrun_id: string | null;
            task: components["schemas"]["Task"] | null;
        };
        /** @description A node that was not reached has no input and no calls. `calls` are the newest ones; `attempts` counts all. `input` and `output` are null as well when they were not asked for, and their sizes are there all the same. */
        NodeDetail: {
            answer: {
                actor: string | null;
                /** Format: date-time */
                answered_at: string;
                form: Record<string, unknown> | null;
                option: string;
            } | null;
            artifacts: components["schemas"]["ArtifactRef"][];
            attempts: number;
            calls: components["schemas"]["NodeCall"][];
            capability: {
                id: string;
                /** @enum {string} */
                kind: "agent_cli" | "model_cli" | "evaluator_cli" | "cli" | "mcp_stdio" | "http" | "acp_agent" | "mcp_http";
                timeout_seconds: number;
            } | null;
            duration_seconds: number | null;
            effects: ("pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process")[];
            /** @enum {string} */
            evidence_level: "E1_DETERMINISTIC" | "E2_REAL_EXECUTOR";
            executor: {
                executor_id: string;
                version: string;
            };
            failure: {
                error_type: string;
                message: string;
            } | null;
            from: string[];
            input: Record<string, unknown> | null;
            input_bytes: number | null;
            instruction: string | null;
            items: number | null;
            node_id: string;
            /** @enum {string} */
            node_type: "agent.task" | "model.task" | "evaluation.task" | "tool.task" | "capability.task" | "artifact.task" | "human.task" | "flow.task";
            output: Record<string, unknown> | null;
            output_bytes: number | null;
            question: components["schemas"]["Question"] | null;
            ready_at: string | null;
            reused_from_run_id: string | null;
            round: number;
            run_id: string;
            session: {
                conversation_ref: string;
                reused: boolean;
                session_group: string;
                turn_ref: string;
            } | null;
            session_group: string | null;
            settled_at: string | null;
            skipped_because: ("condition" | "upstream") | null;
            /** @enum {string} */
            status: "pending" | "running" | "succeeded" | "failed" | "cancelled" | "reused" | "skipped";
            title: string;
            verdict: {
                finding_codes: string[];
                repair_from_node_id: string | null;
                summary: string;
                /** @enum {string} */
                verdict: "pass" | "fail";
            } | null;
        };
        /** @description What a node accepted, who executed it, what it returned. `input` is null if it was decided before that. */
        NodeEvidence: {
            attempts: number;
            effects: ("pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process")[];
            effects_json: string;
            /** @enum {string} */
            evidence_level: "E1_DETERMINISTIC" | "E2_REAL_EXECUTOR";
            executor_id: string;
            executor_version: string;
            input: Record<string, unknown> | null;
            input_json: string | null;
            node_id: string;
            output: Record<string, unknown> | null;
            output_json: string | null;
            round: number;
            run_id: string;
            /** @enum {string} */
            status: "running" | "succeeded" | "failed" | "cancelled" | "reused" | "skipped";
        };
        /** @description A type of node: what it is, and what it can be bound to. `effects` are those of the built-in executor; a capability brings its own. */
        NodeTypeCard: {
            capability_kinds: ("agent_cli" | "model_cli" | "evaluator_cli" | "cli" | "mcp_stdio" | "http" | "acp_agent" | "mcp_http")[];
            description: string;
            effects: ("pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process")[];
            name: string;
            needs_capability: boolean;
            /** @enum {string} */
            node_type: "agent.task" | "model.task" | "evaluation.task" | "tool.task" | "capability.task" | "artifact.task" | "human.task" | "flow.task";
            schema_version: number;
        };
        /** @description `executor` is the capability it is bound to or an executor that is built in; `stage` counts from 1, steps of one stage may run at the same time; `rules` stand as in the document; `problem` says why the step cannot be run here and now. */
        PlanStep: {
            blocking: boolean;
            completion: string;
            effects: ("pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process")[];
            executor: string | null;
            from: string[];
            internal_steps: string[];
            node_kind: string;
            node_type: string;
            problem: string | null;
            prompt: string | null;
            /** @enum {string} */
            risk_level: "low" | "medium" | "high";
            rules: Record<string, unknown>;
            session_group: string | null;
            stage: number;
            step_id: string;
            title: string;
        };
        /** @description As a request for a Run, but all of it may be left out. */
        PreviewRequest: {
            executor?: ("deterministic" | "codex" | "opencode") | null;
            inputs?: Record<string, unknown> | null;
        };
        ProbeRecord: {
            /** Format: date-time */
            checked_at: string;
            details: Record<string, unknown>;
            ok: boolean;
            summary: string;
        };
        /** @description The text is for people. Refusals of the channel have a code as well. */
        Problem: {
            code?: string;
            error: string;
        };
        /** @description What a person is asked. `form` is the JSON Schema of what has to be filled in. */
        Question: {
            /** Format: date-time */
            asked_at: string;
            expires_at: string | null;
            form: Record<string, unknown> | null;
            options: {
                id: string;
                label: string;
            }[];
        };
        /** @description It is recorded. */
        Recorded: {
            node_id: string;
            recorded: boolean;
            run_id: string;
        };
        ReleasedAgent: {
            agent: string;
            handle: string;
            released: boolean;
            session_id: string | null;
        };
        RemovedSchedule: {
            removed: boolean;
            schedule_id: string;
        };
        /** @description What becomes of each node. `because` is null for one whose result is taken over. */
        ReplayPlan: {
            flow_hash: string;
            nodes: {
                because: {
                    code: string;
                    text: string;
                } | null;
                node_id: string;
                reused: boolean;
            }[];
            parent_flow_hash: string;
            parent_run_id: string;
        };
        /** @description Inputs that are to be others than the parent's; null takes one away. */
        ReplayPlanRequest: {
            inputs?: Record<string, unknown> | null;
        };
        /** @description Inputs that are to be others than the parent's; null takes one away. */
        ReplayRequest: {
            effect_authorization?: components["schemas"]["EffectAuthorization"] | null;
            inputs?: Record<string, unknown> | null;
        };
        /** @description The Run goes on in the background; it may be over when this arrives. */
        RunAdmission: {
            /** @constant */
            contract_version: "symphlo.run-admission.v1";
            flow_id: string;
            run_id: string;
            status: string;
        };
        /** @description What the Run was allowed to do when it was admitted. `authorization_id` is null when nothing had to be authorized. */
        RunAuthorization: {
            authorization_id: string | null;
            effects: {
                /** @enum {string} */
                effect: "pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process";
                node_ids: string[];
                risk: string;
            }[];
            input_hash: string;
            node_ids: string[];
            policy_version: string;
            /** Format: date-time */
            recorded_at: string;
            required: boolean;
        };
        /** @description `accepted` only for the request that moved the Run from running. */
        RunCancellation: {
            accepted: boolean;
            /** @constant */
            contract_version: "symphlo.run-cancellation.v1";
            flow_id: string;
            run_id: string;
            status: string;
        };
        /** @description `flow_id` must be that of the Run. */
        RunCancellationRequest: {
            /** @constant */
            contract_version: "symphlo.run-cancellation-request.v1";
            flow_id: string;
        };
        /** @description Inputs and outputs are compared and never shown. */
        RunComparisonReport: {
            /** @constant */
            api_version: "symphlo.io/v1alpha1";
            first_divergent_node_id: string | null;
            flow_hash: string;
            /** @constant */
            kind: "RunComparisonReport";
            left_run: components["schemas"]["ComparedRun"];
            /** @enum {string} */
            lineage_relation: "left_parent_of_right" | "right_parent_of_left" | "unrelated";
            nodes: {
                /** @enum {string} */
                comparison: "same" | "changed" | "execution_mode_changed" | "not_observed" | "only_left_observed" | "only_right_observed";
                differences: ("input" | "outcome" | "executor" | "effects" | "output" | "evidence_level" | "execution_mode" | "observation")[];
                left: components["schemas"]["ComparedSide"] | null;
                node_id: string;
                right: components["schemas"]["ComparedSide"] | null;
                same_effects: boolean | null;
                same_evidence_level: boolean | null;
                same_executor: boolean | null;
                same_input: boolean | null;
                same_outcome: boolean | null;
                same_output: boolean | null;
            }[];
            /** @enum {string} */
            overall: "equivalent" | "diverged";
            right_run: components["schemas"]["ComparedRun"];
            task_id: string;
        };
        /** @description `saved_version` is the version of the saved flow that is what this Run executes, null if there is none any more. `flow_input` is what its first nodes receive. `unconfirmed` names what may still run although the Run is over with it. `forks` are the newest Runs that began with results of this one. `quarantined` says why a Run cannot be loaded. */
        RunDetail: {
            authorization: components["schemas"]["RunAuthorization"] | null;
            cancellation: components["schemas"]["CancellationReceipt"] | null;
            capability_ids: string[];
            /** @enum {string} */
            executor: "deterministic" | "codex" | "opencode";
            failure: {
                error_type: string;
                message: string;
            } | null;
            flow_input: Record<string, unknown> | null;
            flow_title: string | null;
            flow_version: string | null;
            forks: string[];
            interrupted: boolean;
            origin: components["schemas"]["RunOrigin"] | null;
            quarantined: string | null;
            run: components["schemas"]["RunSummary"];
            saved_version: number | null;
            saved_version_is_current: boolean;
            task_exists: boolean;
            unconfirmed: {
                message: string;
                node_id: string;
            }[];
        };
        /** @description `payload_json` is the canonical text of `payload`. */
        RunEvent: {
            /** @enum {string} */
            event_type: "run.created" | "run.effects_evaluated" | "run.effects_authorized" | "run.forked" | "node.reused" | "node.ready" | "executor.started" | "executor.session.bound" | "executor.session.reused" | "evaluation.passed" | "result.accepted" | "artifact.created" | "node.succeeded" | "evaluation.rejected" | "node.failed" | "node.cancelled" | "run.cancel_requested" | "run.cancelled" | "run.interrupted" | "run.left" | "run.failed" | "run.succeeded" | "node.skipped" | "node.offered" | "node.repeated" | "item.accepted" | "attempt.failed" | "attempt.lost" | "attempt.ended" | "person.asked" | "person.answered" | "node.uncertain" | "node.decided" | "node.overdue";
            node_id: string | null;
            payload: Record<string, unknown>;
            payload_json: string;
            /** Format: date-time */
            recorded_at: string;
            run_id: string;
            sequence: number;
        };
        /** @description `cursor` is the `after` of the next page, or its `before` when the newest came first. A page of one node's events may hold fewer than there are, even none, with `has_more`. `ended`: the Run has ended and these were its last events. `total` counts all events of the Run. */
        RunEventPage: {
            cursor: number;
            ended: boolean;
            events: components["schemas"]["RunEvent"][];
            has_more: boolean;
            run_id: string;
            /** @enum {string} */
            status: "running" | "cancel_requested" | "succeeded" | "failed" | "cancelled";
            total: number;
            waiting: boolean;
        };
        /** @description All of it at once. For large Runs there are pages of events and single nodes. */
        RunEvidence: {
            artifacts: components["schemas"]["Artifact"][];
            context: components["schemas"]["ContextEntry"][];
            events: components["schemas"]["RunEvent"][];
            nodes: components["schemas"]["NodeEvidence"][];
            run: components["schemas"]["RunSummary"];
        };
        /** @description What the Run executes, as it was when the Run was admitted: `semantic_hash` stands for the flow's id, version, title and nodes. `document` is the saved version that is this very flow; if there is none any more (`saved_version` is null) it is made of the definition, without inputs and layout. */
        RunFlow: {
            capabilities: {
                [key: string]: {
                    id: string;
                    /** @enum {string} */
                    kind: "agent_cli" | "model_cli" | "evaluator_cli" | "cli" | "mcp_stdio" | "http" | "acp_agent" | "mcp_http";
                    timeout_seconds: number;
                } | null;
            };
            document: Record<string, unknown>;
            flow_id: string;
            nodes: components["schemas"]["RunFlowNode"][];
            run_id: string;
            saved_version: number | null;
            semantic_hash: string;
            task_id: string;
            title: string;
            version: string;
        };
        /** @description `input_from` is null for a first node, an id, or the ids of several nodes. The rules of schema version 2 are there when they are used. */
        RunFlowNode: {
            deadline?: number;
            effects: ("pure_compute" | "read_local" | "read_external" | "write_local" | "write_external" | "execute_process")[];
            executor: {
                executor_id: string;
                version: string;
            };
            for_each?: {
                items: string;
                max_parallel: number;
            };
            human?: {
                expires_seconds?: number;
                form?: Record<string, unknown>;
                on_expiry?: string;
                options: {
                    id: string;
                    label: string;
                }[];
            };
            input_from: (string | null) | string[];
            instruction: string | null;
            /** @enum {string} */
            kind: "agent.task" | "model.task" | "evaluation.task" | "tool.task" | "capability.task" | "artifact.task" | "human.task" | "flow.task";
            node_id: string;
            /** @enum {string} */
            on_uncertain?: "fail" | "ask";
            repair?: {
                from: string;
                max_rounds: number;
            };
            retry?: {
                attempts: number;
                backoff_factor: number;
                backoff_max_seconds: number;
                backoff_seconds: number;
                on: ("timeout" | "exit" | "unavailable" | "rate_limited" | "malformed")[];
                repeat_writes: boolean;
            };
            session_group?: string;
            subflow?: {
                flow_id: string;
                inputs: {
                    [key: string]: string;
                };
                semantic_hash: string;
            };
            timeout_seconds?: number;
            title: string;
            when?: string;
        };
        RunForkAdmission: {
            /** @constant */
            contract_version: "symphlo.run-fork-admission.v1";
            from_node_id: string;
            parent_run_id: string;
            run_id: string;
            status: string;
        };
        RunForkRequest: {
            /** @constant */
            contract_version: "symphlo.run-fork-request.v1";
            from_node_id: string;
        };
        /** @description Runs of the flows that were asked for, newest first. */
        RunHistory: {
            /** @constant */
            contract_version: "symphlo.run-history.v1";
            flow_ids: string[];
            items: {
                finished_at: string | null;
                flow_id: string;
                forked_from_node_id: string | null;
                parent_run_id: string | null;
                run_id: string;
                settled_nodes: number;
                /** Format: date-time */
                started_at: string;
                /** @enum {string} */
                status: "running" | "cancel_requested" | "succeeded" | "failed" | "cancelled";
                total_nodes: number;
            }[];
        };
        /** @description Newest first. `next` is the `before` of the next page; null on the last one. `counts` are of all Runs of the workspace, by status. */
        RunList: {
            counts?: {
                [key: string]: number;
            };
            items: components["schemas"]["RunSummary"][];
            next: string | null;
        };
        /** @description The Run whose results this one began with. A `fork` runs the same flow again from `from_node_id` on; a `replay` took over whatever was unchanged. */
        RunOrigin: {
            from_node_id: string;
            /** @enum {string} */
            how: "fork" | "replay";
            parent_flow_hash: string | null;
            parent_run_id: string;
            reused_node_ids: string[];
        };
        /** @description How far a Run is, what it made, why it failed. It shows no payloads. */
        RunOutcome: {
            artifacts: {
                artifact_id: string;
                content_url: string;
                media_type: string;
                name: string;
                sha256: string;
            }[];
            /** @constant */
            contract_version: "symphlo.run-outcome.v1";
            failure: {
                /** @enum {string} */
                code: "evaluation_rejected" | "node_failed" | "run_failed";
                node_id: string | null;
                repair_from_node_id: string | null;
            } | null;
            finished_at: string | null;
            flow_id: string;
            nodes: {
                node_id: string;
                /** @enum {string} */
                node_type: "agent.task" | "model.task" | "evaluation.task" | "tool.task" | "capability.task" | "artifact.task" | "human.task" | "flow.task";
                /** @enum {string} */
                status: "pending" | "running" | "succeeded" | "failed" | "cancelled" | "reused" | "skipped";
            }[];
            progress: {
                settled_nodes: number;
                total_nodes: number;
            };
            run_id: string;
            /** Format: date-time */
            started_at: string;
            /** @enum {string} */
            status: "running" | "cancel_requested" | "succeeded" | "failed" | "cancelled";
        };
        /** @description Nothing is stored. `challenge` is what the request for the Run would be answered with, null when nothing has to be authorized; its `authorization` may be sent with the first request. `missing` are nodes whose programs are not there. */
        RunPreview: {
            active_runs: number;
            challenge: components["schemas"]["EffectAuthorizationRequired"] | null;
            effects: components["schemas"]["EffectLine"][];
            flow_hash: string;
            flow_id: string;
            flow_input: Record<string, unknown>;
            input_hash: string;
            max_active_runs: number;
            missing: {
                capability_id: string;
                node_id: string;
            }[];
            requires_authorization: boolean;
            task_id: string;
        };
        /** @description `flow_id` is the portable id, `task_id` the local one. Nothing but what was recorded. */
        RunProjection: {
            /** Format: date-time */
            created_at: string;
            flow_hash: string;
            flow_id: string;
            forked_from_node_id: string | null;
            inputs: {
                report_focus: string | null;
            };
            /** @constant */
            mode: "semi_auto";
            parent_run_id: string | null;
            reused_node_ids: string[];
            run_id: string;
            session_state: {
                [key: string]: {
                    conversation_ref: string;
                    node_ids: string[];
                    turn_refs: string[];
                };
            };
            /** @enum {string} */
            status: "running" | "cancel_requested" | "succeeded" | "failed" | "cancelled";
            steps: components["schemas"]["RunProjectionStep"][];
            task_id: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** @description `attempts` is 0 for a step that was not reached or whose result was taken over. */
        RunProjectionStep: {
            artifacts: {
                metadata: {
                    filename: string;
                    sha256: string;
                };
                type: string;
                uri: string;
            }[];
            attempts: number;
            error: {
                /** @enum {string} */
                code: "EVALUATION_REJECTED" | "NODE_FAILED";
                finding_codes?: string[];
                summary?: string;
            } | null;
            logs: string[];
            /** @enum {string} */
            node_type: "agent.task" | "model.task" | "evaluation.task" | "tool.task" | "capability.task" | "artifact.task" | "human.task" | "flow.task";
            output: Record<string, unknown> | null;
            repair_from_step_id: string | null;
            run_id: string;
            session: {
                conversation_ref: string;
                reused: boolean;
                session_group: string;
                turn_ref: string;
            } | null;
            /** @enum {string} */
            status: "pending" | "running" | "succeeded" | "failed" | "cancelled" | "reused" | "skipped";
            step_id: string;
            /** Format: date-time */
            updated_at: string;
        };
        RunRequest: {
            /** @constant */
            contract_version: "symphlo.run-request.v1";
            /** @enum {string} */
            executor: "deterministic" | "codex" | "opencode";
            inputs: Record<string, unknown>;
        };
        /** @description Only Runs of exactly that task and flow count; forks do not. */
        RunStabilityReport: {
            /** @constant */
            api_version: "symphlo.io/v1alpha1";
            comparable_run_count: number;
            flow_hash: string;
            /** @constant */
            kind: "RunStabilityReport";
            nodes: {
                /** @enum {string} */
                classification: "not_observed" | "insufficient_evidence" | "stable_success" | "repeated_failure" | "unstable";
                evidence_levels: string[];
                executors: components["schemas"]["ExecutorReference"][];
                failure_count: number;
                latest_status: ("running" | "succeeded" | "failed" | "cancelled" | "reused" | "skipped") | null;
                node_id: string;
                observed_run_count: number;
                succeeded_count: number;
            }[];
            run_ids: string[];
            task_id: string;
        };
        /** @description `parent_run_id`, `forked_from_node_id` and `reused_node_ids` for forks only; `quarantined` says why a Run cannot be loaded. `inputs` are the first eight that it was given, in the order of its flow; not there where that was not kept. */
        RunSummary: {
            artifact_count: number;
            artifact_id: string | null;
            artifact_name: string | null;
            event_count: number;
            /** @enum {string} */
            executor_id: "deterministic" | "codex" | "opencode";
            executor_profile: string;
            finished_at: string | null;
            flow_hash: string;
            flow_id: string;
            forked_from_node_id?: string;
            /** @enum {string} */
            granularity: "compact" | "balanced" | "fine";
            inputs?: components["schemas"]["GivenInput"][];
            node_count: number;
            node_order: string[];
            node_types: {
                [key: string]: "agent.task" | "model.task" | "evaluation.task" | "tool.task" | "capability.task" | "artifact.task" | "human.task" | "flow.task";
            };
            parent_run_id?: string;
            quarantined?: string;
            reused_node_ids?: string[];
            run_id: string;
            schedule_id?: string;
            schema_version: number;
            settled_node_count: number;
            /** Format: date-time */
            started_at: string;
            state_dir: string;
            /** @enum {string} */
            status: "running" | "cancel_requested" | "succeeded" | "failed" | "cancelled";
            subrun_of?: string;
            task_id: string;
            task_title: string;
            topic: string;
            waiting: boolean;
        };
        /** @description The members of the context, and this one. */
        SampleReply: {
            http_sample: {
                accepted: boolean;
                /** @constant */
                contract_version: "1.0";
                /** @constant */
                sample_id: "http.sample-json";
            };
        };
        SampleRequest: {
            context: Record<string, unknown>;
            /** @constant */
            contract_version: "1.0";
        };
        /** @description `flow_id` is the local id; the portable one is `flow.id`. */
        SavedFlow: {
            /** Format: date-time */
            created_at: string;
            description: string;
            flow: Record<string, unknown>;
            flow_id: string;
            name: string;
            /** @enum {string} */
            template_id: "compact" | "balanced" | "fine";
            /** Format: date-time */
            updated_at: string;
        };
        SaveFlowRequest: {
            flow: Record<string, unknown>;
            template_id?: ("compact" | "balanced" | "fine") | null;
        };
        /** @description `flow_hash` is that of a pinned version; `authorized` is the challenge that was met when it was added; `next_local` is the next tick as a clock in the zone shows it. */
        Schedule: {
            authorized: components["schemas"]["EffectAuthorizationRequired"] | null;
            /** Format: date-time */
            created_at: string;
            cron: string;
            enabled: boolean;
            /** @enum {string} */
            executor: "deterministic" | "codex" | "opencode";
            flow_hash: string | null;
            flow_id: string;
            inputs: Record<string, unknown>;
            last_run_id: string | null;
            local_flow_id: string;
            /** @enum {string} */
            missed: "skip" | "run_once";
            next_local: string | null;
            next_tick: string | null;
            /** @enum {string} */
            overlap: "skip" | "allow";
            schedule_id: string;
            time_zone: string;
            /** @enum {string} */
            version: "latest" | "pinned";
        };
        /** @description `run_status` is how the Run stands now; null when it was forgotten. */
        ScheduleEvent: {
            clock: {
                /** Format: date-time */
                from: string;
                /** Format: date-time */
                to: string;
            } | null;
            /** @enum {string} */
            event_type: "schedule.added" | "schedule.enabled" | "schedule.disabled" | "schedule.removed" | "schedule.clock_set_back" | "ticks.missed" | "tick.claimed" | "tick.started" | "tick.refused";
            missed: {
                at_least: boolean;
                count: number;
                /** Format: date-time */
                since: string;
                /** Format: date-time */
                until: string;
            } | null;
            /** Format: date-time */
            recorded_at: string;
            refused: {
                /** @enum {string} */
                code: "flow" | "inputs" | "authorization" | "program" | "room" | "overlap" | "late";
                reason: string;
            } | null;
            run_id: string | null;
            run_status: string | null;
            sequence: number;
            tick: string | null;
        };
        /** @description `local` is what a clock in the zone shows then. */
        SchedulePreview: {
            ticks: {
                /** Format: date-time */
                at: string;
                local: string;
            }[];
        };
        SchedulePreviewRequest: {
            cron: string;
            time_zone: string;
        };
        /** @description Events are newest first. */
        ScheduleWithEvents: {
            events: components["schemas"]["ScheduleEvent"][];
            schedule: components["schemas"]["Schedule"];
        };
        SessionList: {
            agent: string;
            items: {
                additional_directories: string[] | null;
                cwd: string;
                session_id: string;
                title: string | null;
                updated_at: string | null;
            }[];
            next: string | null;
            workspace: string;
        };
        /** @description A setting that was asked for, and what the agent says is in force. */
        SettingInForce: {
            asked: unknown;
            in_force: unknown;
            name: string;
        };
        /** @description How the agent's processes were ended, what escaped, and whether their tree was seen empty. */
        StopReceipt: {
            escaped: {
                how: string;
                in_group: boolean;
                name: string;
                pid: number;
            }[];
            processes: {
                how: string;
                in_group: boolean;
                name: string;
                pid: number;
            }[];
            tree_empty: boolean;
            unconfirmed: string | null;
        };
        SuggestionRequest: {
            description: string;
        };
        /** @description Where this server keeps things and what it works in. `token_file` holds the bearer token for clients that cannot be seen to be the user's; the token itself is nowhere else. `state_is_usual`: commands find the state folder without `--state-dir`. */
        SystemSettings: {
            agents: string[];
            nested: boolean;
            state_is_usual: boolean;
            state_root: string;
            token_file: string | null;
            version: string;
            workspace: string;
            workspace_id: string;
            workspace_name: string;
        };
        SystemStatus: {
            executors: {
                available: boolean;
                /** @enum {string} */
                evidence_level: "E1_DETERMINISTIC" | "E2_REAL_EXECUTOR";
                /** @enum {string} */
                id: "deterministic" | "codex" | "opencode";
                label: string;
            }[];
            state_root: string;
            /** @constant */
            status: "ready";
            workspace_id: string;
            workspace_name: string;
        };
        /** @description `title` is how its prompt begins, unless that is empty. `ended_because` is null until it ends, and where no reason was recorded. `final_message` and what follows only for a single task; `prompt` only when it is asked for. */
        Task: {
            agent: string;
            agent_name?: string | null;
            agent_version?: string | null;
            /** Format: date-time */
            created_at: string;
            ended_because: string | null;
            error: string | null;
            exit_code: number | null;
            final_message?: string | null;
            final_message_truncated?: boolean;
            finished_at: string | null;
            kept_agent: components["schemas"]["KeptAgent"] | null;
            last_seq: number;
            live: components["schemas"]["LiveFacts"] | null;
            prompt?: string;
            receipt?: components["schemas"]["TaskReceipt"];
            resolution: string;
            resolution_note: string | null;
            resolved_at: string | null;
            resolved_by: string | null;
            server: string;
            session_id: string | null;
            settings_in_force?: components["schemas"]["SettingInForce"][] | null;
            started_at: string | null;
            /** @enum {string} */
            status: "created" | "starting" | "running" | "succeeded" | "failed" | "cancelled";
            stop_reason?: string | null;
            stop_receipt?: components["schemas"]["StopReceipt"] | null;
            task_id: string;
            title?: string;
            usage?: components["schemas"]["TaskUsage"] | null;
            workspace: string;
        };
        TaskCancellation: {
            actor?: string | null;
        };
        /** @description Statuses that no task has are left out. */
        TaskCounts: {
            by_status: {
                [key: string]: number;
            };
            total: number;
        };
        TaskEvent: {
            event_type: string;
            payload: unknown;
            /** Format: date-time */
            recorded_at: string;
            sequence: number;
            task_id: string;
        };
        /** @description `cursor` is the `after` of the next page. */
        TaskEventPage: {
            cursor: number;
            events: components["schemas"]["TaskEvent"][];
            has_more: boolean;
            /** @enum {string} */
            status: "created" | "starting" | "running" | "succeeded" | "failed" | "cancelled";
            task_id: string;
        };
        /** @description Newest first. `next` is the `after` of the next page; null on the last one. */
        TaskList: {
            items: components["schemas"]["Task"][];
            next: string | null;
        };
        /** @description Made by Segue from the record, not by the agent. `files_changed` is null outside of a work tree of git. */
        TaskReceipt: {
            actions_never_asked: {
                [key: string]: number;
            };
            commands: {
                command: string | null;
                exit_status: number | null;
                permission: string | null;
                status: string | null;
                title: string;
            }[];
            commands_total: number;
            duration_seconds: number | null;
            files_changed: string[] | null;
            permissions_asked: number;
            permissions_refused: number;
            tool_calls: {
                [key: string]: number;
            };
            tool_calls_total: number;
        };
        /** @description One turn of an agent. With a `client_key` the same key returns the same task. */
        TaskRequest: {
            agent: string;
            client_key?: string | null;
            deadline_seconds?: number | null;
            executor_id?: string | null;
            initiator_id?: string | null;
            keep_idle?: number | null;
            keep_turns?: number | null;
            on_agent?: string | null;
            options?: Record<string, unknown> | null;
            prompt: string;
            session_id?: string | null;
            workspace?: string | null;
        };
        /** @description A judgement of a finished task. It never changes the task's status. */
        TaskResolution: {
            actor?: string | null;
            note?: string | null;
            resolution: string;
        };
        /** @description Runs the built-in writing flow of a local task. */
        TaskRunRequest: {
            effect_authorization?: components["schemas"]["EffectAuthorization"] | null;
            /** @enum {string} */
            executor: "deterministic" | "codex" | "opencode";
            task_id: string;
        };
        /** @description As the agent reported it; null where it said nothing. */
        TaskUsage: {
            context: {
                cost: {
                    amount: number;
                    currency: string;
                } | null;
                size: number;
                used: number;
            } | null;
            turn: {
                cached_read_tokens?: number;
                cached_write_tokens?: number;
                input_tokens: number;
                output_tokens: number;
                thought_tokens?: number;
                total_tokens: number;
            } | null;
        };
        /** @description A question to a person (`question` and what the node accepted), or a decision about a call that may have written before it was lost (`decision`). */
        WaitingItem: {
            decision: {
                attempt: number;
                index: number | null;
                options: ("repeat" | "fail")[];
                /** @enum {string} */
                reason: "shutdown" | "crash" | "restart";
                round: number;
            } | null;
            flow_id: string;
            input: Record<string, unknown> | null;
            instruction: string | null;
            /** @enum {string} */
            kind: "question" | "decision";
            node_id: string;
            /** @enum {string} */
            node_type: "agent.task" | "model.task" | "evaluation.task" | "tool.task" | "capability.task" | "artifact.task" | "human.task" | "flow.task";
            question: components["schemas"]["Question"] | null;
            run_id: string;
            /** Format: date-time */
            since: string;
            task_id: string;
            task_title: string;
            title: string;
        };
        /** @description The longest wait first. */
        WaitingList: {
            items: components["schemas"]["WaitingItem"][];
        };
        /** @description One screen. `more` counts the lines that did not fit. `fork_from` is the node from which a fork would go on, of a Run that ended without success. */
        Why: {
            fork_from: string | null;
            headline: string;
            lines: {
                node_id: string;
                text: string;
            }[];
            more: number;
            run_id: string;
            status: string;
            ways_on: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getFlowArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listNodeTypes: {
        parameters: {
            query?: {
                /** @description Every type that there is; without it the three that the origin's pages know. */
                all?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeTypeCard"][];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFlowTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowTemplate"][];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFlows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedFlow"][];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    saveFlow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveFlowRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedFlow"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                local_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedFlow"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replaceFlow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what is replaced or deleted. If it has another one by now, nothing is changed. */
                "If-Match"?: string;
            };
            path: {
                local_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveFlowRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedFlow"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteFlow: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of what is replaced or deleted. If it has another one by now, nothing is changed. */
                "If-Match"?: string;
            };
            path: {
                local_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedFlow"];
                };
            };
            /** @description Precondition Failed */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runSavedFlow: {
        parameters: {
            query?: never;
            header?: {
                /** @description At most 200 characters. The same key gives the same Run; with another request it is refused (409, `key_taken`). */
                "Idempotency-Key"?: string;
            };
            path: {
                local_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocalRunRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocalRun"];
                };
            };
            /** @description Precondition Required */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectAuthorizationRequired"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    draftFlow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["FlowDraftRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowDraft"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    planFlow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowPlan"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRunProjections: {
        parameters: {
            query?: {
                /** @description Only Runs behind this one: the last `run_id` of the page before. */
                before?: string;
                /** @description At most this many (1-100, 20 by default). */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunProjection"][];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    saveAndRunFlow: {
        parameters: {
            query?: never;
            header?: {
                /** @description At most 200 characters. The same key gives the same Run; with another request it is refused (409, `key_taken`). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRunRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocalRun"];
                };
            };
            /** @description Precondition Required */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectAuthorizationRequired"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunProjection"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRunProjection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunProjection"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunProjection"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    validateFlow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowValidation"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getArtifactContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCapabilities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Capability"][];
                    };
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    saveCapability: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CapabilityRequest"] | components["schemas"]["CapabilityDefinition"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capability"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteCapability: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                capability_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedCapability"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    probeCapability: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                capability_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capability"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discoverCapabilities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Capability"][];
                    };
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    validateCapability: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["CapabilityRequest"] | components["schemas"]["CapabilityDefinition"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityValidation"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAgents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentList"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    describeAgent: {
        parameters: {
            query?: {
                /** @description The folder to look from; the runtime's own by default. */
                workspace?: string;
            };
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentDescription"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description The folder to look from; the runtime's own by default. */
                workspace?: string;
            };
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listKeptAgents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeptAgentList"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    releaseAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                handle: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleasedAgent"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    extendAgent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                handle: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeptAgentExtension"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExtendedAgent"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskCounts"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTasks: {
        parameters: {
            query?: {
                /** @description The `next` of the page before. */
                after?: string;
                /** @description Only tasks of this agent. */
                agent?: string;
                /** @description At most this many (1-100, 20 by default). */
                limit?: number;
                /** @description Only tasks of this runtime. */
                mine?: boolean;
                /** @description Only tasks with this status. */
                status?: "created" | "starting" | "running" | "succeeded" | "failed" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskList"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dispatchTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4194304 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getTask: {
        parameters: {
            query?: {
                /** @description Also its prompt. */
                include_prompt?: boolean;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forgetTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgottenTask"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskCancellation"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTaskEvents: {
        parameters: {
            query?: {
                /** @description Only events behind this number; 0 for all. */
                after?: number;
                /** @description Only this type. */
                event_type?: string[];
                /** @description Also raw input and output of tool calls. */
                include_raw?: boolean;
                /** @description Also the agent's thoughts. */
                include_thoughts?: boolean;
                /** @description At most this many (1-500, 100 by default). */
                limit?: number;
                /** @description At most about this many characters (1000-4000000). */
                max_chars?: number;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskEventPage"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamTaskEvents: {
        parameters: {
            query?: {
                /** @description Only events behind this number; 0 for all. */
                after?: number;
                /** @description Also raw input and output of tool calls. */
                include_raw?: boolean;
                /** @description Also the agent's thoughts. */
                include_thoughts?: boolean;
            };
            header?: {
                /** @description The number of the last event that was seen. */
                "Last-Event-ID"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["TaskEvent"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resolveTask: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskResolution"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamChanges: {
        parameters: {
            query?: {
                /** @description Only changes behind this position of the record; without it those from now on. */
                after?: number;
            };
            header?: {
                /** @description The number of the last event that was seen. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Change"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    suggestFlow: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SuggestionRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowSuggestion"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBuiltInFlows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["FlowDefinition"][];
                    };
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compareFlowVersions: {
        parameters: {
            query: {
                /** @description The later version. */
                after: number;
                /** @description The earlier version. */
                before: number;
            };
            header?: never;
            path: {
                flow_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowDifference"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                flow_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPreview"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    admitRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description At most 200 characters. The same key gives the same Run; with another request it is refused (409, `key_taken`). */
                "Idempotency-Key"?: string;
            };
            path: {
                flow_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunRequest"] | components["schemas"]["AuthorizedRunRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAdmission"];
                };
            };
            /** @description Precondition Required */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectAuthorizationRequired"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listFlowVersions: {
        parameters: {
            query?: {
                /** @description Only versions before this one. */
                before?: number;
                /** @description At most this many (1-100, 20 by default). */
                limit?: number;
            };
            header?: never;
            path: {
                flow_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowVersionList"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getFlowVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                flow_id: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FlowVersion"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    installBundle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationBundleInstallRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationBundleInstallation"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewBundle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationBundlePreviewRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IntegrationBundlePlan"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDocument: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, unknown>;
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunHistory: {
        parameters: {
            query: {
                /** @description A portable flow id; 1 to 32 distinct ones. */
                flow_id: string[];
                /** @description At most this many (1-100). */
                limit: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunHistory"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                /** @description Only Runs that have not ended. */
                active?: boolean;
                /** @description The `next` of the page before. */
                before?: string;
                /** @description Also how many Runs of each status there are in all. */
                counts?: boolean;
                /** @description Only Runs of this flow, by portable id. */
                flow_id?: string[];
                /** @description At most this many (1-1000, all of a page by default). */
                limit?: number;
                /** @description Only Runs that began then or later. */
                since?: string;
                /** @description Only Runs with this status. */
                status?: ("running" | "cancel_requested" | "succeeded" | "failed" | "cancelled")[];
                /** @description Only Runs of this task or saved flow, by local id. */
                task_id?: string;
                /** @description Only Runs whose flow id, task id or own id has this text. */
                text?: string;
                /** @description Only Runs that began before that. */
                until?: string;
                /** @description Only Runs that wait for somebody. */
                waiting?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runTask: {
        parameters: {
            query?: never;
            header?: {
                /** @description At most 200 characters. The same key gives the same Run; with another request it is refused (409, `key_taken`). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskRunRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunSummary"];
                };
            };
            /** @description Precondition Required */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectAuthorizationRequired"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunSummary"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forgetRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgottenRun"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunCancellationRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCancellation"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCancellation"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    compareRuns: {
        parameters: {
            query: {
                /** @description The Run on the right. */
                other_run_id: string;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunComparisonReport"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunDetail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRunEvents: {
        parameters: {
            query?: {
                /** @description Only events behind this number; 0 for all. */
                after?: number;
                /** @description Only events before this number. */
                before?: number;
                /** @description Only events of this type. */
                event_type?: ("run.created" | "run.effects_evaluated" | "run.effects_authorized" | "run.forked" | "node.reused" | "node.ready" | "executor.started" | "executor.session.bound" | "executor.session.reused" | "evaluation.passed" | "result.accepted" | "artifact.created" | "node.succeeded" | "evaluation.rejected" | "node.failed" | "node.cancelled" | "run.cancel_requested" | "run.cancelled" | "run.interrupted" | "run.left" | "run.failed" | "run.succeeded" | "node.skipped" | "node.offered" | "node.repeated" | "item.accepted" | "attempt.failed" | "attempt.lost" | "attempt.ended" | "person.asked" | "person.answered" | "node.uncertain" | "node.decided" | "node.overdue")[];
                /** @description Which events come first; `oldest` by default. */
                first?: "oldest" | "newest";
                /** @description At most this many (1-500, 100 by default). */
                limit?: number;
                /** @description Only events of this node. */
                node_id?: string;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEventPage"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamRunEvents: {
        parameters: {
            query?: {
                /** @description Only events behind this number; 0 for all. */
                after?: number;
            };
            header?: {
                /** @description The number of the last event that was seen. */
                "Last-Event-ID"?: string;
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunEvidence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEvidence"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunFlow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunFlow"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    forkRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description At most 200 characters. The same key gives the same Run; with another request it is refused (409, `key_taken`). */
                "Idempotency-Key"?: string;
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunForkRequest"] | components["schemas"]["AuthorizedRunForkRequest"] | components["schemas"]["ChangedRunForkRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunForkAdmission"];
                };
            };
            /** @description Precondition Required */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectAuthorizationRequired"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeEvidence"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    answerNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Answer"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recorded"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    decideNode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                node_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recorded"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunNodeDetail: {
        parameters: {
            query?: {
                /** @description With what the node accepted and returned (true by default); their sizes are there in any case. */
                values?: boolean;
            };
            header?: never;
            path: {
                node_id: string;
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeDetail"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunOutcome: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunOutcome"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    planReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayPlanRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayPlan"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description At most 200 characters. The same key gives the same Run; with another request it is refused (409, `key_taken`). */
                "Idempotency-Key"?: string;
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAdmission"];
                };
            };
            /** @description Precondition Required */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectAuthorizationRequired"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restoreRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": Record<string, unknown>;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunSummary"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunWhy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Why"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    callSample: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SampleRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SampleReply"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SchedulePreviewRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchedulePreview"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Schedule"][];
                    };
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description At most 200 characters. The same key gives the same Run; with another request it is refused (409, `key_taken`). */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddScheduleRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description Precondition Required */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectAuthorizationRequired"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: {
                /** @description At most this many events (1-200, 50 by default). */
                limit?: number;
            };
            header?: never;
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleWithEvents"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeScheduleRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedSchedule"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemSettings"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSystemStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemStatus"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listLocalTasks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["LocalTask"][];
                    };
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addLocalTask: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 65536 bytes. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LocalTaskRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocalTask"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStability: {
        parameters: {
            query: {
                /** @description 64 lower-case hex digits. */
                flow_hash: string;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunStabilityReport"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWaiting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitingList"];
                };
            };
            /** @description A refusal or a fault */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
