import { basename, dirname } from "node:path";
import type { Route } from "../shared/api/define-route.ts";

/** `createConversation` → `create-conversation`: from an operation id to the names of files and functions. */
export function kebabCase(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `create-conversation` or `createConversation` → `CreateConversation`, as construct ids are written. */
export function pascalCase(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
}

/** The file whose `handler` serves a route. */
export function entryOf(route: Pick<Route, "id" | "group" | "streaming">): string {
  const file = `${kebabCase(route.id)}.ts`;
  return route.streaming ? `functions/streaming/${file}` : `functions/api/${route.group}/${file}`;
}

/** `functions/changes/cascade/index.ts` → `cascade`. */
export function processorName(entry: string): string {
  return basename(dirname(entry));
}

/** `functions/jobs/watch-run.ts` → `watch-run`. */
export function jobName(entry: string): string {
  return basename(entry, ".ts");
}

/** `watch-run` → `WATCH_RUN_QUEUE_URL`: how functions know the queue of a job. */
export function queueVariable(job: string): string {
  return `${job.toUpperCase().replaceAll("-", "_")}_QUEUE_URL`;
}

/** The file whose `handler` answers wherever no route is. */
export const notFoundEntry = "functions/api/open/route-not-found.ts";
