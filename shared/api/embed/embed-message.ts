import * as v from "valibot";
import { CodeBlock, ImageBlock, ListBlock, TableBlock, TextBlock, VegaBlock } from "../blocks.ts";
import { Message } from "../conversations/messages.ts";
import { describe, Id, Integer, Timestamp } from "../fields.ts";
import { MessageAttachment } from "../message-attachment.ts";
import { EndedToolCard } from "./tool-card.ts";

/** Citation as visitors see it: title, public URL and quote, without the ids of the source. */
const EmbedCitation = v.object({
  type: v.literal("citation"),
  index: Integer,
  title: v.string(),
  uri: describe(v.nullable(v.string()), "The `http` or `https` URL of the source. Null for other sources."),
  quote: describe(v.string(), "The sentence of the source that the answer refers to, verbatim."),
  quotes: describe(
    v.optional(v.array(v.string())),
    "All sentences of the source that the answer refers to; only if there are several.",
  ),
});

/** Block of a message as visitors see it. */
export const EmbedBlock = v.variant("type", [
  TextBlock,
  CodeBlock,
  TableBlock,
  ListBlock,
  ImageBlock,
  VegaBlock,
  EmbedCitation,
]);
export type EmbedBlock = v.InferOutput<typeof EmbedBlock>;

export const EmbedMessage = v.object({
  message_id: Id,
  role: v.picklist(["user", "assistant"]),
  content: v.array(EmbedBlock),
  status: v.picklist(["complete", "streaming", "interrupted", "failed"]),
  removed: describe(
    v.optional(v.array(v.string())),
    "The kinds of data that were removed from the question, such as `card number`; only in its answer.",
  ),
  attachments: describe(
    v.optional(v.array(v.pick(MessageAttachment, ["id", "file_name", "kind", "size"]))),
    "The files of the message; only in messages with files.",
  ),
  tool_cards: describe(
    v.optional(v.array(EndedToolCard)),
    "The calls of tools for the answer; only in answers with some.",
  ),
  person: describe(
    v.optional(v.object({ name: v.nullable(v.string()) })),
    "The person who wrote the message; only in messages of persons. The name is null if the website does not show names.",
  ),
  digital_source_type: Message.entries.digital_source_type,
  created_at: Timestamp,
});
export type EmbedMessage = v.InferOutput<typeof EmbedMessage>;
