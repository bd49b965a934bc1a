import type { Block } from "../api/blocks.ts";
import type { Usage } from "../api/conversations/messages.ts";
import type { EmbedBlock } from "../api/embed/embed-message.ts";
import type { Tier } from "../api/tiers.ts";

/** Source that a search returned, as clients receive it. */
export interface Source {
  readonly source_id: string;
  readonly source_type: string;
  /** Absent in sources other than documents, such as web pages. */
  readonly document_id?: string;
  /** Position of the passage in the document, from 0. */
  readonly passage?: number;
  readonly page: number | null;
  readonly heading: string | null;
  readonly title: string;
  readonly collection_id: string | null;
  readonly uri: string | null;
  readonly score: number;
  readonly snippet: string;
}

export interface PhaseTiming {
  readonly phase: string;
  readonly started_at: string;
  readonly duration_ms: number;
}

/** State of a call of an MCP server's tool. `unknown`: no response arrived, and the call may have taken effect. */
export type ToolCallStatus = "running" | "done" | "failed" | "unknown";

/** Call of an MCP server's tool, for the trace of a run. */
export interface ToolCallTiming {
  readonly name: string;
  readonly status: ToolCallStatus;
  readonly duration_ms: number;
}

/** Model call or tool call of a run, for its trace. */
export interface OperationTiming {
  readonly operation: "chat" | "execute_tool";
  /** Name of the model or of the tool. */
  readonly name: string;
  readonly started_at: string;
  duration_ms: number;
  readonly call_id?: string;
  input_tokens?: number;
  output_tokens?: number;
  cached_tokens?: number;
  /** Milliseconds until the first part of the model's response. */
  first_chunk_ms?: number;
  /** Error code if the operation failed. */
  error?: string;
}

/** Payloads of a run's events, by event name. */
export interface RunPayloads {
  metadata: {
    request_id: string;
    conversation_id: string;
    user_message_id: string;
    message_id: string;
    tier: Tier;
    model: string;
    created_at: string;
  };
  /**
   * With the code `sign_in_required`, `server_id` names the tool server and `sign_in_url` is the page on which the user
   * signs in.
   */
  preflight_warning: {
    code: string;
    message: string;
    approval_id?: string;
    server_id?: string | undefined;
    sign_in_url?: string;
  };
  guardrail_result: {
    stage: "input" | "retrieval" | "output";
    action: "allow" | "redact" | "block";
    categories: { category: string; score: number }[];
    /** Names of the rules, and of the formats of sensitive data, that matched; empty for findings of a model. */
    rules: string[];
    /** Kinds of data that were removed from the text. */
    removed?: string[];
  };
  thinking_step: { step: number; title: string; detail: string };
  thinking_complete: { steps: number; duration_ms: number };
  /** Sent when a call of an MCP server's tool starts and when it ends. `input` and `result` are truncated. */
  tool_call: {
    call_id: string;
    server_id: string;
    name: string;
    title: string;
    input: string;
    status: ToolCallStatus;
    duration_ms: number | null;
    result?: string;
  };
  search_transparency: { query: string; sources: Source[] };
  /** `content` is a text delta while `final` is false, and all blocks of the answer when it is true. */
  assistant_message:
    | { message_id: string; content: string; final: false }
    | { message_id: string; content: Block[]; final: true };
  memory_proposal: {
    memory_id: string;
    text: string;
    scope: string;
    category: string;
    read_untrusted?: boolean;
    /** Memory that is deleted when the user accepts the proposal. */
    replaces?: { memory_id: string; text: string };
  };
  phase_latency: { phase: string; duration_ms: number };
  swtoken_update: Usage;
  execution_trace: {
    phases: PhaseTiming[];
    /** Absent if no tools of MCP servers were called. */
    tool_calls?: ToolCallTiming[];
    /** Absent if no tools were called: the timing of the only model call is that of the phase `generation`. */
    operations?: OperationTiming[];
    total_ms: number;
    time_to_first_token_ms: number | null;
  };
  done: { message_id: string; block_count: number };
  interrupted: {
    message_id: string;
    reason: "stopped" | "deadline" | "shutdown" | "length" | "provider";
    saved_characters: number;
    /**
     * Id of the last stored event. Present only if the function died, because clients may then have received events
     * that were never stored.
     */
    last_event_id?: string;
  };
  error: { code: string; message: string; status: number; request_id: string; message_id: string };
}

/** Payloads of the run events that visitors of a widget receive, by event name. */
export interface PublicPayloads extends Pick<RunPayloads, "done" | "interrupted" | "error"> {
  /** Sent only if data was removed from the visitor's question; `removed` names the kinds of data. */
  guardrail_result: { stage: "input"; removed: string[] };
  assistant_message:
    | { message_id: string; content: string; final: false }
    | { message_id: string; content: EmbedBlock[]; final: true };
}

/** Payloads of events about the connection, by event name. They are not part of the run and have no id. */
export interface ConnectionPayloads {
  token_expired: { expired_at: string; message_id: string };
  stream_expired: { message_id: string; last_event_id: string | null };
  reconnect: { message_id: string; last_event_id: string | null; retry_ms: number };
}

type EventOf<Payloads> = {
  [Type in keyof Payloads]: { readonly type: Type; readonly data: Payloads[Type] };
}[keyof Payloads];

export type RunEvent = EventOf<RunPayloads>;

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

/** Formats a frame as a server-sent event. */
export function formatFrame(messageId: string, { seq, event, isReaped }: Frame<RunEvent | PublicEvent>): string {
  const suffix = isReaped && isTerminal(event) ? REAPED_END : "";
  return `id: ${eventId(messageId, seq)}${suffix}\nevent: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

/** Formats a connection event as a server-sent event. It has no id because it is not a frame of the run. */
export function formatConnectionEvent(event: ConnectionEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
