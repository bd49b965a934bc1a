import type { Block } from "../api/blocks.ts";
import type { Usage } from "../api/conversations/messages.ts";
import type { EmbedBlock } from "../api/embed/embed.ts";
import type { Tier } from "../api/tiers.ts";

/** A source the assistant looked at. */
export interface Source {
  readonly source_id: string;
  readonly source_type: string;
  readonly title: string;
  readonly collection_id: string | null;
  readonly uri: string | null;
  readonly score: number;
  readonly snippet: string;
}

/** Start and length of one phase of a run. */
export interface PhaseTiming {
  readonly phase: string;
  readonly started_at: string;
  readonly duration_ms: number;
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
  preflight_warning: { code: string; message: string; approval_id?: string };
  guardrail_result: {
    stage: "input" | "retrieval" | "output";
    action: "allow" | "redact" | "block";
    categories: { category: string; score: number }[];
  };
  thinking_step: { step: number; title: string; detail: string };
  thinking_complete: { steps: number; duration_ms: number };
  search_transparency: { query: string; sources: Source[] };
  /** `content` is a piece of text while `final` is false, and all blocks when it is true. */
  assistant_message:
    | { message_id: string; content: string; final: false }
    | { message_id: string; content: Block[]; final: true };
  memory_proposal: { memory_id: string; text: string; scope: string; category: string };
  phase_latency: { phase: string; duration_ms: number };
  swtoken_update: Usage;
  execution_trace: { phases: PhaseTiming[]; total_ms: number; time_to_first_token_ms: number | null };
  done: { message_id: string; block_count: number };
  interrupted: {
    message_id: string;
    reason: "stopped" | "deadline" | "shutdown" | "provider";
    saved_characters: number;
  };
  error: { code: string; message: string; status: number; request_id: string; message_id: string };
}

/** Payloads of a run's events as the visitors of a website get to see them. */
export interface PublicPayloads extends Pick<RunPayloads, "done" | "interrupted" | "error"> {
  assistant_message:
    | { message_id: string; content: string; final: false }
    | { message_id: string; content: EmbedBlock[]; final: true };
}

/** Payloads of events about the connection; the run itself goes on. */
export interface ConnectionPayloads {
  token_expired: { expired_at: string; message_id: string };
  stream_expired: { message_id: string; last_event_id: string | null };
  reconnect: { message_id: string; last_event_id: string | null; retry_ms: number };
}

type EventOf<Payloads> = {
  [Type in keyof Payloads]: { readonly type: Type; readonly data: Payloads[Type] };
}[keyof Payloads];

/** Something that happens in a run. */
export type RunEvent = EventOf<RunPayloads>;

/** Something that happens in a run, as the visitors of a website get to see it. */
export type PublicEvent = EventOf<PublicPayloads>;

/** Something that happens to a connection that shows a run. */
export type ConnectionEvent = EventOf<ConnectionPayloads>;

/** An event of a run in its place: `seq` counts from 1 without gaps. */
export interface Frame<Event = RunEvent> {
  readonly seq: number;
  readonly event: Event;
}

const terminal: ReadonlySet<string> = new Set(["done", "interrupted", "error"]);

/** Whether a run ends with this event. */
export function isTerminal(event: { readonly type: string }): boolean {
  return terminal.has(event.type);
}

/** The id a client resumes from: `<message_id>:<seq>`. */
export function eventId(messageId: string, seq: number): string {
  return `${messageId}:${seq}`;
}

/** A frame as text of a `text/event-stream`. */
export function frameText(messageId: string, { seq, event }: Frame<RunEvent | PublicEvent>): string {
  return `id: ${eventId(messageId, seq)}\nevent: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}

/** A connection event as text of a `text/event-stream`: without an id, for it is none of the run's frames. */
export function connectionText(event: ConnectionEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`;
}
