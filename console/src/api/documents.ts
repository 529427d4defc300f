// Documents of flows, as text on the way in and out: a number that passed through JavaScript may have another hash.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type FlowDocument, json, member, parse } from "~/canvas/document";
import { errors } from "~/text/en/errors";
import { answer, api } from "./client";
import { ApiError } from "./error";
import { keys } from "./keys";
import type { EffectAuthorization, RunPreview, SavedFlow } from "./types";

/** A saved flow whose document has everything it was saved with. */
export interface LoadedFlow {
  readonly saved: SavedFlow;
  readonly document: FlowDocument;
  /** Names this version of it when it is replaced. */
  readonly tag: string | null;
}

async function load(call: Promise<{ data?: string; error?: unknown; response: Response }>): Promise<LoadedFlow> {
  const text = await answer(call);
  const parsed = parse(text, "json");
  const document = parsed.ok ? member(parsed.document, "flow") : undefined;
  if (document === undefined) throw new ApiError("the saved document is no object", "fault", 0);
  return { saved: JSON.parse(text) as SavedFlow, document, tag: (await call).response.headers.get("etag") };
}

/** One saved flow, by its local id. It is edited, so that it is not asked for again behind the editor's back. */
export const loadedFlow = (localId: string) =>
  queryOptions({
    queryKey: keys.flows.part(localId, "document"),
    queryFn: ({ signal }) =>
      load(api.GET("/api/flows/{local_id}", { params: { path: { local_id: localId } }, parseAs: "text", signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });

/** Bytes of a request, fixed by the contract of the interface. */
const BODY_MAX = 65_536;

/** Says what is too large before it is sent: the server could only say that a body is. */
function sendable(body: string): string {
  const { length } = new TextEncoder().encode(body);
  if (length <= BODY_MAX) return body;
  throw new ApiError(errors.tooLarge(length, BODY_MAX), "too_large", 0);
}

const asText = (text: string) => ({ bodySerializer: () => text, parseAs: "text" as const });

/** Saves a new flow, or replaces one: with a `tag` only the version of that name, else the answer is 412. */
export async function saveDocument(
  localId: string | null,
  document: FlowDocument,
  tag: string | null = null,
): Promise<LoadedFlow> {
  const text = sendable(`{"flow":${json(document)}}`);
  const body = { flow: {} };
  if (localId === null) return load(api.POST("/api/flows", { body, ...asText(text) }));
  const params = { path: { local_id: localId }, ...(tag === null ? {} : { header: { "If-Match": tag } }) };
  return load(api.PUT("/api/flows/{local_id}", { params, body, ...asText(text) }));
}

export async function deleteFlow(localId: string): Promise<void> {
  await answer(api.DELETE("/api/flows/{local_id}", { params: { path: { local_id: localId } } }));
}

/** What the server says of a document: whether it can be run, and if not, why. */
export const checked = (text: string) =>
  queryOptions({
    queryKey: [...keys.flows.all, "check", text] as const,
    queryFn: async ({ signal }) => {
      const body = sendable(text);
      return answer(api.POST("/api/flows/validate", { body: {}, bodySerializer: () => body, signal }));
    },
    staleTime: 10_000,
    gcTime: 60_000,
  });

/** What a document would do here and now. */
export const planned = (text: string) =>
  queryOptions({
    queryKey: [...keys.flows.all, "plan", text] as const,
    queryFn: async ({ signal }) => {
      const body = sendable(text);
      return answer(api.POST("/api/flows/render-plan", { body: {}, bodySerializer: () => body, signal }));
    },
    staleTime: 10_000,
    gcTime: 60_000,
  });

export const flowTemplates = () =>
  queryOptions({
    queryKey: [...keys.flows.all, "templates"] as const,
    queryFn: ({ signal }) => answer(api.GET("/api/flow-templates", { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The document that a template makes of a description. */
export async function draftFlow(templateId: string, request: string): Promise<FlowDocument> {
  const body = { template_id: templateId, ...(request.trim() === "" ? {} : { user_request: request.trim() }) };
  const text = await answer(api.POST("/api/flows/draft", { body, parseAs: "text" }));
  const parsed = parse(text, "json");
  const document = parsed.ok ? member(parsed.document, "flow_dsl") : undefined;
  if (document === undefined) throw new ApiError("the draft has no document", "fault", 0);
  return document;
}

export interface RunWish {
  readonly localId: string;
  readonly executor: string;
  /** JSON text of the object of inputs. */
  readonly inputs: string;
  readonly authorization: EffectAuthorization | null;
  /** The same one gives the same Run, also after a lost reply. */
  readonly key: string;
}

/** Admits a Run and gives its id. What must be authorized first is thrown, as an `ApiError` with a challenge. */
export async function startRun({ localId, executor, inputs, authorization, key }: RunWish): Promise<string> {
  const authorized = authorization === null ? "" : `,"effect_authorization":${JSON.stringify(authorization)}`;
  const text = `{"executor":${JSON.stringify(executor)},"inputs":${inputs}${authorized}}`;
  const reply = await answer(
    api.POST("/api/flows/{local_id}/runs", {
      params: { path: { local_id: localId }, header: { "Idempotency-Key": key } },
      body: {},
      bodySerializer: () => text,
    }),
  );
  return reply.run.run_id;
}

const VERSIONS_PAGE = 50;

/** Every saved version of a flow, newest first, page by page. */
export const flowVersions = (localId: string) =>
  infiniteQueryOptions({
    queryKey: keys.flows.part(localId, "versions"),
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: VERSIONS_PAGE, ...(pageParam === null ? {} : { before: pageParam }) };
      const params = { path: { flow_id: localId }, query };
      return answer(api.GET("/api/v1/flows/{flow_id}/versions", { params, signal }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next,
  });

/** What changed from one version to another. */
export const flowDifference = (localId: string, before: number, after: number) =>
  queryOptions({
    queryKey: keys.flows.part(localId, "difference", before, after),
    queryFn: ({ signal }) =>
      answer(
        api.GET("/api/v1/flows/{flow_id}/difference", {
          params: { path: { flow_id: localId }, query: { before, after } },
          signal,
        }),
      ),
  });

/** The document of an earlier version, with everything it was saved with. */
export async function versionDocument(localId: string, version: number): Promise<FlowDocument> {
  const params = { path: { flow_id: localId, version: String(version) } };
  const text = await answer(api.GET("/api/v1/flows/{flow_id}/versions/{version}", { params, parseAs: "text" }));
  const parsed = parse(text, "json");
  const document = parsed.ok ? member(parsed.document, "flow") : undefined;
  if (document === undefined) throw new ApiError("this version has no document", "fault", 0);
  return document;
}

/** What a Run with these values would do. Nothing is started. */
export async function previewRun(localId: string, executor: string, inputs: string): Promise<RunPreview> {
  const text = `{"executor":${JSON.stringify(executor)},"inputs":${inputs}}`;
  return answer(
    api.POST("/api/v1/flows/{flow_id}/preview", {
      params: { path: { flow_id: localId } },
      body: {},
      bodySerializer: () => text,
    }),
  );
}
