import { basename, dirname } from "node:path";
import type { Route } from "../shared/api/define-route.ts";

/** Converts an operation id to the name of its function: `createConversation` → `create-conversation`. */
export function kebabCase(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** Converts a name to a construct id: `create-conversation` or `createConversation` → `CreateConversation`. */
export function pascalCase(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
}

/** Returns the id of the entry point that serves a route, see `EntryPoint`. */
export function entryPointOf({ id, streaming }: Pick<Route, "id" | "streaming">): string {
  return streaming ? `functions/streaming/${kebabCase(id)}.ts` : `${id}Handler`;
}

/** Returns the name of a stream processor: `functions/changes/cascade/index.ts` → `cascade`. */
export function processorName(entry: string): string {
  return basename(dirname(entry));
}

/** Returns the name of a job: `functions/jobs/watch-run.ts` → `watch-run`. */
export function jobName(entry: string): string {
  return basename(entry, ".ts");
}

/** Returns the file whose `handler` runs at regular times, see `functions/schedules.ts`. */
export function scheduledEntryPoint(name: string): string {
  return `functions/scheduled/${name}.ts`;
}

/** Returns the environment variable with the queue URL of a job: `watch-run` → `WATCH_RUN_QUEUE_URL`. */
export function queueUrlVariable(job: string): string {
  return `${job.toUpperCase().replaceAll("-", "_")}_QUEUE_URL`;
}

/** Entry point of the job that extracts the text of uploaded files. */
export const fileProcessingEntry = "functions/jobs/process-file.ts";

/** Entry point of the function for requests that match no route. */
export const notFoundEntryPoint = "routeNotFoundHandler";
