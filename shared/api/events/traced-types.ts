import type { EventType } from "./event-data.ts";

/** Types of events that have a trace. In a file without valibot, for the console. */
export const tracedTypes: readonly EventType[] = ["run.completed", "run.failed"];
