import * as v from "valibot";
import { Block, PassageLocation } from "../blocks.ts";
import { describe, Integer, Timestamp } from "../fields.ts";
import { Tier } from "../tiers.ts";
import { Message, Usage } from "./messages.ts";

const Source = v.object({
  source_id: v.string(),
  source_type: v.string(),
  ...PassageLocation.entries,
  title: v.string(),
  collection_id: v.nullable(v.string()),
  uri: v.nullable(v.string()),
  score: v.number(),
  snippet: v.string(),
});

const ToolCallStatus = v.picklist(["running", "done", "failed", "unknown", "declined"]);

/**
 * Events of a run by name; each has an id of the form `<message_id>:<seq>`. `formatFrame` in `shared/runs/events.ts`
 * writes the lines of the stream.
 */
export const runEvents = {
  metadata: v.object({
    request_id: v.string(),
    conversation_id: v.string(),
    user_message_id: v.string(),
    message_id: v.string(),
    tier: Tier,
    model: v.string(),
    ...v.pick(Message, ["persona_version", "digital_source_type"]).entries,
    created_at: Timestamp,
  }),
  preflight_warning: v.object({
    code: v.string(),
    message: v.string(),
    approval_id: v.optional(v.string()),
    /** Tool server that the user must sign in to. */
    server_id: v.optional(v.string()),
    sign_in_url: describe(
      v.optional(v.string()),
      "With the code `sign_in_required`: the address at which the asker signs in to the tool server, with which the reply then continues.",
    ),
  }),
  guardrail_result: v.object({
    stage: v.picklist(["input", "retrieval", "output"]),
    action: v.picklist(["allow", "redact", "block"]),
    categories: describe(
      v.array(v.object({ category: v.string(), score: v.number() })),
      "Findings. Empty with the action `allow`, unless the caller has `usage.read`",
    ),
    /** Names of the rules, and of the formats of sensitive data, that matched; empty for findings of a model. */
    rules: v.array(v.string()),
    /** Kinds of data that were removed from the text. */
    removed: v.optional(v.array(v.string())),
  }),
  thinking_step: v.object({ step: Integer, title: v.string(), detail: v.string() }),
  thinking_complete: v.object({ steps: Integer, duration_ms: v.number() }),
  /** Sent when a call of an MCP server's tool starts and when it ends, or is not executed. */
  tool_call: v.object({
    call_id: v.string(),
    server_id: v.string(),
    name: v.string(),
    title: v.string(),
    input: describe(v.string(), "The beginning of the arguments."),
    status: describe(
      ToolCallStatus,
      "`unknown`: no response arrived, and the call may have taken effect. `declined`: the call was denied, canceled or not confirmed in time, and was not executed.",
    ),
    duration_ms: v.nullable(v.number()),
    result: describe(v.optional(v.string()), "The beginning of the result, which is text of the server."),
  }),
  search_transparency: v.object({ query: v.string(), sources: v.array(Source) }),
  /** `content` is a text delta while `final` is false, and all blocks of the answer when it is true. */
  assistant_message: v.variant("final", [
    v.object({ message_id: v.string(), content: v.string(), final: v.literal(false) }),
    v.object({ message_id: v.string(), content: v.array(Block), final: v.literal(true) }),
  ]),
  memory_proposal: v.object({
    memory_id: v.string(),
    text: v.string(),
    scope: v.string(),
    category: v.string(),
    read_untrusted: v.boolean(),
    /** Memory that is deleted when the user accepts the proposal. */
    replaces: v.optional(v.object({ memory_id: v.string(), text: v.string() })),
  }),
  phase_latency: v.object({ phase: v.string(), duration_ms: v.number() }),
  swtoken_update: Usage,
  execution_trace: v.object({
    phases: v.array(v.object({ phase: v.string(), started_at: Timestamp, duration_ms: v.number() })),
    /** Absent if no tools of MCP servers were called. */
    tool_calls: v.optional(v.array(v.object({ name: v.string(), status: ToolCallStatus, duration_ms: v.number() }))),
    operations: describe(
      v.optional(
        v.array(
          v.object({
            operation: v.picklist(["chat", "execute_tool"]),
            name: v.string(),
            started_at: Timestamp,
            duration_ms: v.number(),
            call_id: v.optional(v.string()),
            input_tokens: v.optional(Integer),
            output_tokens: v.optional(Integer),
            cached_tokens: v.optional(Integer),
            first_chunk_ms: v.optional(v.number()),
            error: v.optional(v.string()),
          }),
        ),
      ),
      "Calls of models and tools, in order; only in answers with calls of tools.",
    ),
    total_ms: v.number(),
    time_to_first_token_ms: v.nullable(v.number()),
  }),
  done: v.object({
    message_id: v.string(),
    block_count: Integer,
    finish_reason: Message.entries.finish_reason,
  }),
  interrupted: v.object({
    message_id: v.string(),
    reason: v.picklist(["stopped", "deadline", "shutdown", "length", "provider"]),
    saved_characters: Integer,
    last_event_id: describe(
      v.optional(v.string()),
      "Last stored event, if the function died: a client may have seen later ones",
    ),
  }),
  error: v.object({
    code: v.string(),
    message: v.string(),
    status: Integer,
    request_id: v.string(),
    message_id: v.string(),
  }),
} as const;

/** Events about a connection; the run continues. They have no id. */
export const connectionEvents = {
  token_expired: v.object({ expired_at: Timestamp, message_id: v.string() }),
  stream_expired: v.object({ message_id: v.string(), last_event_id: v.nullable(v.string()) }),
  reconnect: v.object({
    message_id: v.string(),
    last_event_id: v.nullable(v.string()),
    retry_ms: Integer,
  }),
} as const;
