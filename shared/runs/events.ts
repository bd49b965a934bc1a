import type { GenericSchema, InferOutput } from "valibot";
import type { connectionEvents, runEvents } from "../api/conversations/chat-events.ts";
import type { sendEmbedMessageRoute } from "../api/embed/embed.ts";
import type { ToolCard } from "../api/embed/tool-card.ts";

type PayloadsOf<Schemas extends Readonly<Record<string, GenericSchema>>> = {
  [Name in keyof Schemas]: InferOutput<Schemas[Name]>;
};

/** Payloads of a run's events, by event name. */
export type RunPayloads = PayloadsOf<typeof runEvents>;

/** Payloads of events about the connection, by event name. They are not part of the run and have no id. */
type ConnectionPayloads = PayloadsOf<typeof connectionEvents>;

/** Payloads of the run events that visitors of a widget receive, by event name. */
type PublicPayloads = Omit<PayloadsOf<(typeof sendEmbedMessageRoute)["events"]["payloads"]>, keyof ConnectionPayloads>;

/** Source that a search returned, as clients receive it. */
export type Source = RunPayloads["search_transparency"]["sources"][number];

type ExecutionTrace = RunPayloads["execution_trace"];

export type PhaseTiming = ExecutionTrace["phases"][number];

/** Call of an MCP server's tool, for the trace of a run. */
export type ToolCallTiming = NonNullable<ExecutionTrace["tool_calls"]>[number];

/** Model call or tool call of a run, for its trace. */
export type OperationTiming = NonNullable<ExecutionTrace["operations"]>[number];

type EventOf<Payloads> = {
  [Type in keyof Payloads]: { readonly type: Type; readonly data: Payloads[Type] };
}[keyof Payloads];

/** Call of a tool that needs consent. */
export interface PendingCall extends Pick<RunPayloads["tool_call"], "call_id" | "name" | "title" | "input"> {
  /** Arguments for the visitor who is asked for the consent; absent for users. */
  readonly shown?: Pick<ToolCard, "arguments" | "is_repeated">;
}

/**
 * Event of a run. One that asks for consent to a call has the call next to its data, and so has the step that executes a
 * built-in tool after consent. Frames leave the call out, protocols for user interfaces show it.
 */
export type RunEvent = EventOf<RunPayloads> & { readonly call?: PendingCall };

/** Event of a run as visitors of a widget receive it. */
export type PublicEvent = EventOf<PublicPayloads>;

export type ConnectionEvent = EventOf<ConnectionPayloads>;

/** Event with its position in the run: `seq` counts from 1 without gaps. */
export interface Frame<Event = RunEvent> {
  readonly seq: number;
  readonly event: Event;
  /**
   * True for frames that the reaper wrote after the function died. A client may have received another frame with this
   * `seq` from that function.
   */
  readonly isReaped?: boolean;
}

const terminalTypes: ReadonlySet<string> = new Set(["done", "interrupted", "error"]);

/** Returns true if a run ends with this event. */
export function isTerminal(event: { readonly type: string }): boolean {
  return terminalTypes.has(event.type);
}

/** Returns the event id that a client resumes from: `<message_id>:<seq>`. */
export function eventId(messageId: string, seq: number): string {
  return `${messageId}:${seq}`;
}

/**
 * Suffix of the id of a terminal event that the reaper wrote. A client that sends this id has received the end, and not
 * a lost frame with the same number.
 */
export const REAPED_END = ":end";

/** Returns the id of a frame. */
export function frameId(messageId: string, { seq, event, isReaped }: Frame<RunEvent | PublicEvent>): string {
  return eventId(messageId, seq) + (isReaped && isTerminal(event) ? REAPED_END : "");
}

/** Formats a frame as a server-sent event. */
export function formatFrame(messageId: string, frame: Frame<RunEvent | PublicEvent>): string {
  const { type, data } = frame.event;
  return `id: ${frameId(messageId, frame)}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Formats a connection event as a server-sent event. It has no id because it is not a frame of the run. */
export function formatConnectionEvent(event: ConnectionEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
