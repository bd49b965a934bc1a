import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, PathId, wholeNumber } from "../fields.ts";
import { DocumentReference } from "../message-document.ts";
import { Tier } from "../tiers.ts";
import { MAX_QUESTION_DOCUMENTS } from "./attachment-limits.ts";
import { AttachmentIds } from "./attachments.ts";
import { connectionEvents, runEvents } from "./chat-events.ts";
import { Message, MessageText } from "./messages.ts";
import { streamMediaTypes } from "./stream-media-types.ts";

const events = { schemaName: "ChatEvent", payloads: { ...runEvents, ...connectionEvents } };

const ChatRequest = v.pipe(
  v.strictObject({
    conversation_id: Id,
    content: v.optional(MessageText),
    attachments: describe(
      v.optional(AttachmentIds),
      "Ids of files that are `ready`. A question that is asked again keeps its files by default.",
    ),
    documents: describe(
      v.optional(
        v.pipe(
          v.array(DocumentReference),
          v.maxLength(MAX_QUESTION_DOCUMENTS, `must have at most ${MAX_QUESTION_DOCUMENTS} documents`),
        ),
      ),
      "The only documents of the knowledge that the answer is made from, on every tier. A question that is asked again keeps its documents by default.",
    ),
    tier: v.optional(Tier),
    model: describe(
      v.optional(v.pipe(v.string(), v.maxLength(200))),
      "The name of a model of `listLanguageModels`, in place of that of the persona or tier.",
    ),
    persona_version: describe(
      v.optional(wholeNumber(1, 1_000_000_000)),
      "The version of the conversation's persona that answers, such as a draft. Only for the owner of the persona and administrators. Its tier is the default of `tier`.",
    ),
    parent_message_id: v.nullish(Id, null),
    regenerate_message_id: v.nullish(Id, null),
    edit_message_id: v.nullish(Id, null),
    after_message_id: v.nullish(Id, null),
  }),
  v.forward(
    v.check(
      ({ content, regenerate_message_id }) => (content === undefined) === (regenerate_message_id !== null),
      "is required unless regenerate_message_id is set, and not allowed with it",
    ),
    ["content"],
  ),
  v.forward(
    v.check(
      ({ attachments, regenerate_message_id }) => attachments === undefined || regenerate_message_id === null,
      "is not allowed with regenerate_message_id, which keeps the files of the question",
    ),
    ["attachments"],
  ),
  v.forward(
    v.check(
      ({ documents, regenerate_message_id }) => documents === undefined || regenerate_message_id === null,
      "is not allowed with regenerate_message_id, which keeps the documents of the question",
    ),
    ["documents"],
  ),
  v.forward(
    v.check(
      ({ edit_message_id, after_message_id, regenerate_message_id, parent_message_id }) =>
        [edit_message_id, after_message_id, regenerate_message_id].filter((id) => id !== null).length <= 1 &&
        (edit_message_id === null || parent_message_id === null),
      "must be the only one of edit_message_id, after_message_id and regenerate_message_id, and has the thread of its message",
    ),
    ["edit_message_id"],
  ),
);

const route = routeGroup({ group: "chat", auth: "jwt" });

export const startChatRoute = route("POST /v1/runtime/chat", {
  id: "startChat",
  scope: "chat.run",
  streaming: true,
  body: ChatRequest,
  replies: { 200: Message },
  mediaTypes: [...streamMediaTypes, "application/json"],
  replyHeaders: ["X-Vercel-AI-UI-Message-Stream"],
  events,
  errors: [
    "quota_exceeded",
    "not_found",
    "forbidden",
    "conflict",
    "unsupported_content",
    "payload_too_large",
    "model_error",
    "unavailable",
    "idempotency_key_reused",
  ],
  summary: "Send a message and stream the reply",
  description:
    "Returns the reply as `text/event-stream`. Send `Accept: application/json` to get the completed message instead. `Accept: text/event-stream; protocol=ai-sdk` returns the parts of the AI SDK's UI message stream (`protocol=ai-sdk-5` for its version 5), and `protocol=ag-ui` the events of AG-UI, with the same ids; other values of `Accept` return the events below. `tier` defaults to THINKING. Set `parent_message_id` to reply in a thread. Set `regenerate_message_id` and omit `content` to generate a new reply to an earlier message, `edit_message_id` to ask an earlier question again with other words, and `after_message_id` to continue from an earlier message. Each starts a branch of the conversation: prompts, shared pages and exports follow the branch of the newest message, or the one that `active_message_id` of the conversation ends. `attachments` names files that were uploaded with `createAttachment`: images need a model that sees (`unsupported_content` otherwise), the text of other files is quoted in the prompt. `documents` limits the answer to documents of the knowledge: only they are searched, and their beginnings are quoted where a search finds little. A retry with the same `Idempotency-Key` attaches to the run that the first request started.\n\nEach event has an `id` (`<message_id>:<seq>`, with `:end` after it for the end of a reply whose function died), an `event` name and JSON `data`. A run starts with `metadata`, continues with `preflight_warning`, `guardrail_result`, `thinking_step`, `thinking_complete`, `tool_call`, `search_transparency`, `assistant_message`, `memory_proposal`, `phase_latency`, `swtoken_update` and `execution_trace`, and ends with one of `done`, `interrupted` and `error`. In `assistant_message`, `content` is a chunk of text while `final` is false, and the list of blocks when it is true. The events `token_expired`, `stream_expired` (after 60 seconds) and `reconnect` concern the connection and have no id. They do not end the run. Follow it with `GET /v1/runtime/chat/{message_id}/stream`.",
});

const RunParams = v.object({ message_id: PathId });

export const resumeChatRoute = route("GET /v1/runtime/chat/{message_id}/stream", {
  id: "resumeChat",
  streaming: true,
  params: RunParams,
  query: v.object({ cursor: v.optional(v.pipe(v.string(), v.maxLength(200))) }),
  replies: { 200: Message, 204: null },
  mediaTypes: streamMediaTypes,
  replyHeaders: ["X-Vercel-AI-UI-Message-Stream"],
  events,
  errors: ["invalid_cursor", "run_expired"],
  summary: "Resume a reply stream",
  description:
    "Sends the events after `Last-Event-ID` or `cursor`, or all events if neither is set, and then follows the run live. After the last event of a finished run, the response is 204, so that an `EventSource` does not reconnect again. The id of an event after the end of a finished run is a 400 (`invalid_cursor`). `Accept` chooses the protocol as in `startChat`. A stream that starts after an event opens again what it continues, so that it is complete in its protocol; only `start` of the AI SDK is left out. Any user with read access to the conversation can follow its runs, from any device.",
});

export const stopChatRoute = route("POST /v1/runtime/chat/{message_id}/stop", {
  id: "stopChat",
  scope: "chat.run",
  params: RunParams,
  replies: {
    202: v.object({
      message_id: Id,
      status: v.picklist(["stopping", "complete", "interrupted", "failed"]),
    }),
  },
  errors: ["forbidden"],
  summary: "Stop a reply",
  description:
    "The run ends with status `interrupted` within about one second. Text generated so far is retained. Has no effect on a run that has ended.",
});
