import * as v from "valibot";
import { Block, BlockInput } from "../blocks.ts";
import { routeGroup } from "../define-route.ts";
import { DigitalSourceType } from "../digital-source-type.ts";
import { Cursor, describe, Id, Integer, Limit, nonEmptyText, PathId, pageOf, Timestamp } from "../fields.ts";
import { MessageAttachment } from "../message-attachment.ts";
import { MessageDocument } from "../message-document.ts";
import { Tier } from "../tiers.ts";

/** Tokens and cost of one reply. */
export const Usage = v.object({
  input_tokens: Integer,
  output_tokens: Integer,
  total_tokens: Integer,
  cached_tokens: describe(
    v.optional(Integer),
    "Input tokens that the provider read from its cache; only if there were any.",
  ),
  cost_usd: describe(v.nullable(v.number()), "Null if the price of the model is unknown."),
  model: v.string(),
});
export type Usage = v.InferOutput<typeof Usage>;

/** Guardrail check with findings. */
export const MessageCheck = v.object({
  stage: v.picklist(["input", "retrieval", "output"]),
  action: v.picklist(["allow", "redact", "block"]),
  categories: v.array(v.string()),
  rules: describe(v.array(v.string()), "The rules and formats that found something. Empty for findings of a model."),
  removed: describe(
    v.optional(v.array(v.string())),
    "The kinds of data that were removed, such as `card number`; only if some were.",
  ),
});
export type MessageCheck = v.InferOutput<typeof MessageCheck>;

export const MessageText = nonEmptyText(32_000);

/** Blocks of a user message. The size limit keeps messages below the 400 KB that DynamoDB allows per item. */
const BlocksInput = v.pipe(
  v.array(BlockInput),
  v.minLength(1, "must not be empty"),
  v.maxLength(200, "must have at most 200 blocks"),
  v.check((blocks) => JSON.stringify(blocks).length <= 100_000, "must have at most 100,000 characters"),
);

export const Message = v.object({
  message_id: Id,
  conversation_id: Id,
  role: v.picklist(["user", "assistant", "alert", "system"]),
  content: v.array(Block),
  status: v.picklist(["complete", "streaming", "interrupted", "failed"]),
  parent_id: v.nullable(Id),
  author_id: v.nullable(v.string()),
  tier: v.nullable(Tier),
  model: v.nullable(v.string()),
  usage: v.nullable(Usage),
  alert: v.nullable(v.record(v.string(), v.unknown())),
  error: describe(
    v.optional(v.object({ code: v.string(), message: v.string() })),
    "Why the answer failed; only in messages with the status `failed`.",
  ),
  checks: describe(
    v.optional(v.array(MessageCheck)),
    "The guardrail checks of question, sources and answer that changed something and, with `usage.read`, those that found something and changed nothing; only in answers with such checks.",
  ),
  attachments: describe(
    v.optional(v.array(MessageAttachment)),
    "The files of the message; only in messages with files.",
  ),
  documents: describe(
    v.optional(v.array(MessageDocument)),
    "The documents that the question named; only in questions that did.",
  ),
  persona_version: describe(v.optional(Integer), "On an answer of a persona: the version that answered."),
  finish_reason: describe(
    v.optional(v.literal("length")),
    "On an answer that the model ended before its end, because it reached the maximum number of output tokens.",
  ),
  digital_source_type: describe(
    v.optional(DigitalSourceType),
    "The mark of AI-generated text, with the codes of IPTC: on an answer of a model, and with `composite…` if a person changed it.",
  ),
  question_id: describe(v.optional(Id), "On an answer: its question."),
  regenerated: describe(
    v.optional(v.literal(true)),
    "The answer was generated again: on its branch of the conversation, it takes the place of everything since its question.",
  ),
  replaces_id: describe(
    v.optional(Id),
    "On a question that was asked again with other words: the earlier question, whose place it takes on its branch, with everything since.",
  ),
  after_id: describe(v.optional(Id), "On a question that continues another branch: the message that it follows."),
  imported: describe(v.optional(v.literal(true)), "The message was imported from another assistant."),
  investigation_id: describe(v.optional(Id), "On the question and the answer of an investigation: its id."),
  created_at: Timestamp,
  edited_at: v.nullable(Timestamp),
});
export type Message = v.InferOutput<typeof Message>;

const route = routeGroup({ group: "messages", auth: "jwt" });

export const listMessagesRoute = route("GET /v1/conversations/{id}/messages", {
  id: "listMessages",
  query: v.object({ limit: Limit, cursor: Cursor, order: v.optional(v.picklist(["asc", "desc"]), "asc") }),
  replies: { 200: pageOf("messages", Message) },
  summary: "List messages",
  description: "Returns messages in chronological order, or in reverse with `order=desc`.",
});

const MessageParams = v.object({ id: PathId, mid: PathId });

export const updateMessageRoute = route("PATCH /v1/conversations/{id}/messages/{mid}", {
  id: "updateMessage",
  capability: "message.edit",
  params: MessageParams,
  body: v.strictObject({
    content: v.union([MessageText, BlocksInput], "must be a string or a list of blocks"),
  }),
  replies: { 200: Message },
  errors: ["forbidden", "conflict"],
  summary: "Edit a message",
  description:
    "Users can edit their own messages and all messages in conversations that they own. The previous content is retained as a revision.",
});

export const deleteMessageRoute = route("DELETE /v1/conversations/{id}/messages/{mid}", {
  id: "deleteMessage",
  capability: "message.delete",
  params: MessageParams,
  errors: ["forbidden"],
  summary: "Delete a message",
});

export const listRepliesRoute = route("GET /v1/conversations/{id}/messages/{mid}/replies", {
  id: "listReplies",
  capability: "message.read",
  params: MessageParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("messages", Message) },
  summary: "List replies",
  description: "Returns the replies to a message in chronological order.",
});

/** Content of a message before an edit. */
export const Revision = v.object({ content: v.array(Block), replaced_at: Timestamp, replaced_by: v.string() });
export type Revision = v.InferOutput<typeof Revision>;

export const listRevisionsRoute = route("GET /v1/conversations/{id}/messages/{mid}/revisions", {
  id: "listRevisions",
  capability: "message.read",
  params: MessageParams,
  query: v.object({ limit: Limit, cursor: Cursor }),
  replies: { 200: pageOf("revisions", Revision) },
  summary: "List revisions",
  description: "Returns the revisions of a message in reverse chronological order.",
});
