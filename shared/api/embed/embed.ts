import * as v from "valibot";
import { CodeBlock, ImageBlock, ListBlock, TableBlock, TextBlock, VegaBlock } from "../blocks.ts";
import { MessageText } from "../conversations/messages.ts";
import { defineRoute } from "../define-route.ts";
import { Id, PathId, Timestamp } from "../fields.ts";

/** What visitors see of a source: that there is one, and where it can be read. */
const EmbedCitation = v.object({
  type: v.literal("citation"),
  index: v.number(),
  title: v.string(),
  uri: v.pipe(v.nullable(v.string()), v.description("Only http and https")),
});

/** One typed piece of a message as visitors see it. */
export const EmbedBlock = v.variant("type", [
  TextBlock,
  CodeBlock,
  TableBlock,
  ListBlock,
  ImageBlock,
  VegaBlock,
  EmbedCitation,
]);
/** One typed piece of a message as visitors see it. */
export type EmbedBlock = v.InferOutput<typeof EmbedBlock>;

/** A message of a session. */
export const EmbedMessage = v.object({
  message_id: Id,
  role: v.picklist(["user", "assistant"]),
  content: v.array(EmbedBlock),
  status: v.picklist(["complete", "streaming", "interrupted", "failed"]),
  created_at: Timestamp,
});
/** A message of a session. */
export type EmbedMessage = v.InferOutput<typeof EmbedMessage>;

/** A visitor's conversation with the persona of an embed key. */
export const EmbedSession = v.object({
  id: v.pipe(v.string(), v.description("Opens the session: it is the visitor's secret")),
  status: v.pipe(v.picklist(["active", "full"]), v.description("`full`: it takes no more messages")),
  persona: v.object({ name: v.string(), greeting: v.string(), starter_prompts: v.array(v.string()) }),
  theme: v.record(v.string(), v.string()),
  messages: v.pipe(v.array(EmbedMessage), v.description("The latest 100, oldest first")),
  created_at: Timestamp,
  expires_at: Timestamp,
});
/** A visitor's conversation with the persona of an embed key. */
export type EmbedSession = v.InferOutput<typeof EmbedSession>;

const SessionId = v.pipe(v.string(), v.maxLength(200, "must have at most 200 characters"));

const Visitor = v.strictObject({
  id: v.pipe(
    v.string(),
    v.minLength(1, "must not be empty"),
    v.maxLength(200, "must have at most 200 characters"),
    v.description("The website's own name for the visitor"),
  ),
  signature: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[0-9a-f]{64}$/i, "must be 64 hex characters"),
      v.description("HMAC-SHA256 of `id`, keyed with the `visitor_secret` of the embed key"),
    ),
  ),
});

/** What any of these routes can answer with beside its own problems. */
const site = { group: "embed", auth: "embed-key" } as const;
const problems = ["origin_not_allowed"] as const;
const inSession = [...problems, "not_found", "session_expired"] as const;

export const startEmbedSession = defineRoute({
  ...site,
  id: "startEmbedSession",
  method: "POST",
  path: "/v1/embed/sessions",
  idempotency: "required",
  body: v.strictObject({ session_id: v.optional(SessionId), visitor: v.optional(Visitor) }),
  replies: { 201: EmbedSession, 200: EmbedSession },
  errors: [...inSession, "visitor_not_verified"],
  summary: "Start or resume a widget session",
  description:
    "Without `session_id` a session begins (201), with it that one goes on (200). A session that has expired is a 410 `session_expired`; one of another visitor, website or key a 404. A `signature` that is given must fit; a key with `require_signed_visitor` asks for one.",
});

const SessionParams = v.object({ id: SessionId });

export const getEmbedSession = defineRoute({
  ...site,
  id: "getEmbedSession",
  method: "GET",
  path: "/v1/embed/sessions/{id}",
  params: SessionParams,
  replies: { 200: EmbedSession },
  errors: inSession,
  summary: "Read a widget session",
  description: "A session that has expired is a 410 `session_expired`.",
});

export const sendEmbedMessage = defineRoute({
  ...site,
  id: "sendEmbedMessage",
  method: "POST",
  path: "/v1/embed/sessions/{id}/messages",
  streaming: true,
  params: SessionParams,
  body: v.strictObject({ content: MessageText }),
  replies: { 200: EmbedMessage },
  errors: [
    ...inSession,
    "visitor_not_verified",
    "session_full",
    "rate_limited",
    "model_error",
    "unavailable",
    "idempotency_key_reused",
  ],
  summary: "Say something in a widget session and stream the reply",
  description:
    "Answers `text/event-stream` with the public events: `assistant_message`, `done`, `interrupted`, `error`, `reconnect`, `stream_expired`; with `Accept: application/json` the finished message. Each message prolongs the session. A retry with the same `Idempotency-Key` attaches to the run that the first call started.",
});

const EmbedMessageParams = v.object({ id: SessionId, message_id: PathId });

export const resumeEmbedMessage = defineRoute({
  ...site,
  id: "resumeEmbedMessage",
  method: "GET",
  path: "/v1/embed/sessions/{id}/messages/{message_id}/stream",
  streaming: true,
  params: EmbedMessageParams,
  query: v.object({ cursor: v.optional(v.pipe(v.string(), v.maxLength(200))) }),
  replies: { 200: EmbedMessage },
  errors: [...inSession, "invalid_cursor", "run_expired"],
  summary: "Go on with the stream of a reply in a widget session",
  description: "Sends the public events after `Last-Event-ID` (or `cursor`; all without either), then follows live.",
});

export const stopEmbedMessage = defineRoute({
  ...site,
  id: "stopEmbedMessage",
  method: "POST",
  path: "/v1/embed/sessions/{id}/messages/{message_id}/stop",
  params: EmbedMessageParams,
  replies: {
    202: v.object({ message_id: Id, status: v.picklist(["stopping", "complete", "interrupted", "failed"]) }),
  },
  errors: inSession,
  summary: "Stop a reply in a widget session",
  description: "The reply ends `interrupted` within a second or so; what it said is kept.",
});

export const getWidget = defineRoute({
  id: "getWidget",
  group: "embed",
  method: "GET",
  path: "/v1/embed/widget.js",
  auth: "none",
  cacheable: true,
  replies: { 200: v.string() },
  headers: {
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
  },
  summary: "Load the chat widget",
  description:
    'A script for any page: `<script async src="{base_url}/v1/embed/widget.js" data-embed-key="swe_..."></script>`.',
});
