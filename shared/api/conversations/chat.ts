import * as v from "valibot";
import { defineRoute } from "../define-route.ts";
import { Id, PathId } from "../fields.ts";
import { Tier } from "../tiers.ts";
import { Message, MessageText } from "./messages.ts";

const Utterance = v.pipe(
  v.strictObject({
    conversation_id: Id,
    content: v.optional(MessageText),
    tier: v.optional(Tier),
    parent_message_id: v.nullish(Id, null),
    regenerate_message_id: v.nullish(Id, null),
  }),
  v.forward(
    v.check(
      ({ content, regenerate_message_id }) => (content === undefined) === (regenerate_message_id !== null),
      "must be given, unless regenerate_message_id is",
    ),
    ["content"],
  ),
);

export const startChat = defineRoute({
  id: "startChat",
  group: "chat",
  method: "POST",
  path: "/v1/runtime/chat",
  auth: "jwt",
  streaming: true,
  body: Utterance,
  replies: { 200: Message },
  mediaTypes: ["text/event-stream", "application/json"],
  errors: ["not_found", "forbidden", "model_error", "unavailable", "idempotency_key_reused"],
  summary: "Say something and stream the assistant's reply",
  description:
    "Answers `text/event-stream`; with `Accept: application/json` the finished message. An omitted `tier` means THINKING. `parent_message_id` replies in a thread; `regenerate_message_id` answers an earlier question again and takes no `content`. A retry with the same `Idempotency-Key` attaches to the run that the first call started.\n\nEach frame is `id: <message_id>:<seq>`, `event`, `data` (JSON). In a run: `metadata` first, then `preflight_warning`, `guardrail_result`, `thinking_step`, `thinking_complete`, `search_transparency`, `assistant_message` (`content` is a piece of text while `final` is false, and the blocks when it is true), `memory_proposal`, `phase_latency`, `swtoken_update`, `execution_trace`, and at last one of `done`, `interrupted`, `error`. About the connection, without an id: `token_expired`, `stream_expired` (after 60 seconds), `reconnect`; the run goes on, and `GET /v1/runtime/chat/{message_id}/stream` follows it.",
});

const RunParams = v.object({ message_id: PathId });

export const resumeChat = defineRoute({
  id: "resumeChat",
  group: "chat",
  method: "GET",
  path: "/v1/runtime/chat/{message_id}/stream",
  auth: "jwt",
  streaming: true,
  params: RunParams,
  query: v.object({ cursor: v.optional(v.pipe(v.string(), v.maxLength(200))) }),
  replies: { 200: Message },
  mediaTypes: ["text/event-stream"],
  errors: ["not_found", "invalid_cursor", "run_expired"],
  summary: "Go on with the stream of a reply",
  description:
    "Sends the frames after `Last-Event-ID` (or `cursor`; all without either), then follows the run live. From any device of anybody who may read the conversation.",
});

export const stopChat = defineRoute({
  id: "stopChat",
  group: "chat",
  method: "POST",
  path: "/v1/runtime/chat/{message_id}/stop",
  auth: "jwt",
  params: RunParams,
  replies: {
    202: v.object({
      message_id: Id,
      status: v.picklist(["stopping", "complete", "interrupted", "failed"]),
    }),
  },
  errors: ["not_found", "forbidden"],
  summary: "Stop a reply",
  description:
    "The run ends `interrupted` within a second or so; what it said is kept. A run that has ended stays as it is.",
});
