import * as v from "valibot";
import { AttachmentIds } from "../conversations/attachments.ts";
import { connectionEvents, runEvents } from "../conversations/chat-events.ts";
import { MessageText } from "../conversations/messages.ts";
import { streamMediaTypes } from "../conversations/stream-media-types.ts";
import { routeGroup } from "../define-route.ts";
import { describe, Email, Id, nonEmptyText, PathId, Timestamp, textOfAtMost } from "../fields.ts";
import { Approval } from "../governance/approvals.ts";
import { EmbedBlock, EmbedMessage } from "./embed-message.ts";
import { ToolCard } from "./tool-card.ts";
import { VisitorForm, VisitorInput } from "./visitor-form.ts";

/** Conversation of a visitor with the persona of an embed key. */
export const EmbedSession = v.object({
  id: describe(v.string(), "The session id. It grants access to the session, so keep it secret."),
  status: describe(v.picklist(["active", "full"]), "`full` means that the session has reached its message limit."),
  persona: v.object({ name: v.string(), greeting: v.string(), starter_prompts: v.array(v.string()) }),
  theme: v.record(v.string(), v.string()),
  attachments: describe(
    v.optional(v.literal(true)),
    "The visitor can attach files. Absent if the key does not allow it.",
  ),
  transcripts: describe(
    v.optional(v.literal(true)),
    "The visitor can ask for the conversation by e-mail. Absent if the key does not allow it.",
  ),
  handover: describe(
    v.optional(v.object({ is_open: v.boolean() })),
    "The visitor can ask for a person; now, if `is_open`. Absent if the key does not allow it.",
  ),
  messages: describe(v.array(EmbedMessage), "The latest 100 messages in chronological order."),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type EmbedSession = v.InferOutput<typeof EmbedSession>;

/** Id of a session, which is its secret. */
export const SessionId = textOfAtMost(200);

const Visitor = v.strictObject({
  id: describe(nonEmptyText(200), "The website's identifier of the visitor."),
  signature: describe(
    v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/i, "must be 64 hex characters"))),
    "The HMAC-SHA256 of `id` in hex, keyed with the `visitor_secret` of the embed key.",
  ),
  token: describe(
    v.optional(textOfAtMost(4_000)),
    "A JWT of the website instead of the signature: HS256, keyed with the text `token:` followed by the `visitor_secret`, with the id as `sub`, optionally `email`, and `exp` within a day. Keys with `tools` for signed visitors need it. A resumed session takes over the new one.",
  ),
});

const route = routeGroup({ group: "embed", auth: "embed-key" });
/** Errors that all routes of the widget share. */
const commonErrors = ["origin_not_allowed"] as const;
const sessionErrors = [...commonErrors, "not_found", "session_expired"] as const;

export const startEmbedSessionRoute = route("POST /v1/embed/sessions", {
  id: "startEmbedSession",
  idempotency: "required",
  body: v.strictObject({
    session_id: v.optional(SessionId),
    visitor: v.optional(Visitor),
    form: describe(
      v.optional(VisitorInput),
      "The values that the visitor entered before the chat, for keys with `form`.",
    ),
    page: describe(
      v.optional(textOfAtMost(2_000)),
      "The address of the page. Its query and fragment are not stored. A page of another origin is ignored.",
    ),
  }),
  replies: { 201: EmbedSession, 200: EmbedSession },
  errors: [...sessionErrors, "visitor_not_verified", "form_required"],
  summary: "Start or resume a widget session",
  description:
    "Creates a session (201), or resumes the session `session_id` (200). Returns 410 `session_expired` if the session has expired, and 404 if it belongs to another visitor, website or key, or if `token` names a visitor whose id was only claimed when it started. A `signature` or `token`, if given, must be valid. Keys with `require_signed_visitor` require one. Without it, the request needs the `Origin` of an allowed page. A new session of a key with `form` needs `form` (400 `form_required`).",
});

const SessionParams = v.object({ id: SessionId });

export const getEmbedSessionRoute = route("GET /v1/embed/sessions/{id}", {
  id: "getEmbedSession",
  params: SessionParams,
  replies: { 200: EmbedSession },
  errors: sessionErrors,
  summary: "Get a widget session",
  description: "Returns 410 `session_expired` if the session has expired.",
});

/** Events of a reply as the widget receives them. */
const events = {
  schemaName: "EmbedEvent",
  payloads: {
    assistant_message: v.variant("final", [
      v.object({ message_id: v.string(), content: v.string(), final: v.literal(false) }),
      v.object({ message_id: v.string(), content: v.array(EmbedBlock), final: v.literal(true) }),
    ]),
    guardrail_result: v.object({ stage: v.literal("input"), removed: v.array(v.string()) }),
    tool_card: ToolCard,
    done: runEvents.done,
    interrupted: runEvents.interrupted,
    error: runEvents.error,
    stream_expired: connectionEvents.stream_expired,
    reconnect: connectionEvents.reconnect,
  },
};

export const sendEmbedMessageRoute = route("POST /v1/embed/sessions/{id}/messages", {
  id: "sendEmbedMessage",
  streaming: true,
  params: SessionParams,
  body: v.strictObject({
    content: MessageText,
    attachments: describe(
      v.optional(AttachmentIds),
      "Files that are `ready`; only with keys that allow `attachments`.",
    ),
  }),
  replies: { 200: EmbedMessage, 202: EmbedMessage },
  mediaTypes: [...streamMediaTypes, "application/json"],
  replyHeaders: ["X-Vercel-AI-UI-Message-Stream"],
  events,
  errors: [
    ...sessionErrors,
    "visitor_not_verified",
    "session_full",
    "quota_exceeded",
    "rate_limited",
    "model_error",
    "unavailable",
    "conflict",
    "idempotency_key_reused",
  ],
  summary: "Send a message in a widget session and stream the reply",
  description:
    "Returns the reply as `text/event-stream` with the events `assistant_message`, `guardrail_result` (kinds of data that were removed from the question), `tool_card` (a call of a tool when it starts, when it ends, and when the visitor has to agree), `done`, `interrupted`, `error`, `reconnect` and `stream_expired`. Send `Accept: application/json` to get the completed message instead. `Accept` chooses other protocols for user interfaces as in `startChat`. After a `tool_card` with the status `waiting`, the stream ends: ask the visitor, send the answer (`confirmEmbedToolCall`), and resume it (`resumeEmbedMessage`). Each message extends the session. While the session waits for a person or is with one (`handover` of the key), the response is 202 with the stored message as JSON, and no answer follows. A retry with the same `Idempotency-Key` attaches to the run that the first request started.",
});

const EmbedMessageParams = v.object({ id: SessionId, message_id: PathId });

export const resumeEmbedMessageRoute = route("GET /v1/embed/sessions/{id}/messages/{message_id}/stream", {
  id: "resumeEmbedMessage",
  streaming: true,
  params: EmbedMessageParams,
  query: v.object({ cursor: v.optional(v.pipe(v.string(), v.maxLength(200))) }),
  replies: { 200: EmbedMessage, 204: null },
  mediaTypes: streamMediaTypes,
  replyHeaders: ["X-Vercel-AI-UI-Message-Stream"],
  events,
  errors: [...sessionErrors, "invalid_cursor", "run_expired"],
  summary: "Resume a reply stream in a widget session",
  description:
    "Sends the events after `Last-Event-ID` or `cursor`, or all events if neither is set, and then follows the run live, until it waits for the visitor (`tool_card`). After the last event of a finished run, the response is 204. `Accept` chooses the protocol as in `startChat`.",
});

export const confirmEmbedToolCallRoute = route("POST /v1/embed/sessions/{id}/approvals/{approval_id}/confirm", {
  id: "confirmEmbedToolCall",
  params: v.object({ id: SessionId, approval_id: PathId }),
  body: v.strictObject({ decision: v.picklist(["approve", "deny"], "must be approve or deny") }),
  replies: { 200: v.pick(Approval, ["id", "status"]) },
  errors: [...sessionErrors, "visitor_not_verified", "forbidden", "conflict"],
  summary: "Agree to a tool call in a widget session",
  description:
    "The visitor agrees to a call that waits (`tool_card`), or declines it, which the assistant is told. Its arguments cannot be changed. Repeating an answer has no effect. Returns 404 for calls of other sessions, 403 if the visitor no longer has the tool, for example because the token has expired, and 409 if the call was answered differently, was stopped, has waited for 12 hours, or a person has the session.",
});

export const stopEmbedMessageRoute = route("POST /v1/embed/sessions/{id}/messages/{message_id}/stop", {
  id: "stopEmbedMessage",
  params: EmbedMessageParams,
  replies: {
    202: v.object({ message_id: Id, status: v.picklist(["stopping", "complete", "interrupted", "failed"]) }),
  },
  errors: sessionErrors,
  summary: "Stop a reply in a widget session",
  description: "The reply ends with status `interrupted` within about one second. Text generated so far is retained.",
});

export const rateEmbedMessageRoute = route("POST /v1/embed/sessions/{id}/messages/{message_id}/feedback", {
  id: "rateEmbedMessage",
  params: EmbedMessageParams,
  body: v.strictObject({ rating: v.picklist(["up", "down"]) }),
  replies: { 200: v.object({ message_id: Id, rating: v.picklist(["up", "down"]) }) },
  errors: sessionErrors,
  summary: "Rate a reply in a widget session",
  description: "Rating a reply again replaces the rating. Users with `usage.read` see it under `/v1/feedback`.",
});

/** Maximum number of requests for the transcript of one session, because the website sends a mail for each. */
export const MAX_TRANSCRIPTS = 3;

export const requestEmbedTranscriptRoute = route("POST /v1/embed/sessions/{id}/transcript", {
  id: "requestEmbedTranscript",
  params: SessionParams,
  body: v.strictObject({ email: describe(Email, "The address that the visitor enters for this purpose.") }),
  replies: { 202: v.object({ email: v.string() }) },
  errors: [...sessionErrors, "visitor_not_verified", "forbidden", "conflict"],
  summary: "Ask for the conversation by e-mail",
  description: `Only for keys with \`transcripts\`. Emits \`transcript.requested\`; the website sends the mail. Returns 409 for a session without messages, or with ${MAX_TRANSCRIPTS} requests.`,
});

export const getEmbedConfigRoute = route("GET /v1/embed/config", {
  id: "getEmbedConfig",
  rateLimit: "open",
  replies: {
    200: v.object({
      theme: v.record(v.string(), v.string()),
      form: describe(v.optional(VisitorForm), "The form to fill in before a chat. Absent if there is none."),
    }),
  },
  errors: commonErrors,
  summary: "Get the appearance of a widget",
  description:
    "Returns the theme of the embed key. Colors that follow from the accent are derived with a contrast of at least 4.5: `on-accent`, `accent-text`, `accent-dark`, `on-accent-dark` and `accent-text-dark`.",
});

/** Fields of the routes that serve the widget's code, which every page may load. */
const widgetFileRoute = routeGroup({
  group: "embed",
  auth: "none",
  cacheable: true,
  headers: { "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin" },
});

export const getWidgetPartRoute = widgetFileRoute("GET /v1/embed/widget/{part}", {
  id: "getWidgetPart",
  params: v.object({ part: v.pipe(v.string(), v.regex(/^(?:panel|markdown|texts-[a-z]{2}(?:-hant)?)\.js$/)) }),
  mediaTypes: ["text/javascript"],
  replies: { 200: v.string() },
  summary: "Get a part of the chat widget",
  description:
    "Returns `panel.js` and `markdown.js`, which the widget loads when a visitor opens it, or `texts-<language>.js`.",
});

export const getWidgetRoute = widgetFileRoute("GET /v1/embed/widget.js", {
  id: "getWidget",
  mediaTypes: ["text/javascript"],
  replies: { 200: v.string() },
  summary: "Get the chat widget script",
  description:
    "Returns the script of the chat widget. A page loads it with an async `script` element whose attribute `data-embed-key` is an embed key.",
});
