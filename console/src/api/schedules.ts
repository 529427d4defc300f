// Schedules: flows that are run at the ticks of a cron pattern.

import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

export type Schedule = components["schemas"]["Schedule"];
export type ScheduleEvent = components["schemas"]["ScheduleEvent"];
export type AddSchedule = components["schemas"]["AddScheduleRequest"];

/** In the order in which they were added. */
export const scheduleList = () =>
  queryOptions({
    queryKey: keys.schedules.all,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/schedules", { signal })),
  });

const of = (id: string) => ({ params: { path: { schedule_id: id } } });

/** One of them, with what became of its ticks, newest first. */
export const oneSchedule = (id: string) =>
  queryOptions({
    queryKey: [...keys.schedules.all, id],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/schedules/{schedule_id}", { ...of(id), signal })),
  });

/** The next ticks of a pattern; refused when it is none. Nothing is stored. */
export const schedulePreview = (cron: string, zone: string) =>
  queryOptions({
    queryKey: [...keys.schedules.all, "preview", cron, zone],
    queryFn: ({ signal }) => answer(api.POST("/api/v1/schedule-previews", { body: { cron, time_zone: zone }, signal })),
  });

export const addSchedule = (request: AddSchedule) => answer(api.POST("/api/v1/schedules", { body: request }));

export const switchSchedule = (id: string, enabled: boolean) =>
  answer(api.PUT("/api/v1/schedules/{schedule_id}", { ...of(id), body: { enabled } }));

export const removeSchedule = (id: string) => answer(api.DELETE("/api/v1/schedules/{schedule_id}", of(id)));
