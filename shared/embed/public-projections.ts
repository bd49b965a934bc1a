import * as v from "valibot";
import type { Block } from "../api/blocks.ts";
import type { Message } from "../api/conversations/messages.ts";
import { type PublicBlock, PublicMessage } from "../api/conversations/sharing.ts";
import type { EmbedSession } from "../api/embed/embed.ts";
import type { EmbedBlock, EmbedMessage } from "../api/embed/embed-message.ts";
import type { Persona } from "../api/personas/persona.ts";
import type { StoredMessage } from "../conversations/message-store.ts";

/** Returns the URI of a source if it is a web address, or null: other URIs can reveal internal systems of the organization. */
const toWebUri = (uri: string | null) => (uri !== null && /^https?:\/\//i.test(uri) ? uri : null);

function toEmbedBlock(block: Block): EmbedBlock[] {
  switch (block.type) {
    case "citation": {
      const { type, index, title, uri, quote, quotes } = block;
      return [
        { type, index, title, uri: toWebUri(uri), quote, ...(quotes && { quotes: quotes.map((each) => each.quote) }) },
      ];
    }
    case "memory_proposal":
    case "memory_deletion":
    case "knowledge_proposal":
    case "follow_ups":
      return [];
    default:
      return [block];
  }
}

/**
 * Returns the blocks that widget visitors see: without proposals, and without the ids of sources. Citations keep their
 * quotes.
 */
export function toEmbedBlocks(blocks: readonly Block[]): EmbedBlock[] {
  return blocks.flatMap(toEmbedBlock);
}

/**
 * Returns a message as widget visitors see it. The only check result that it contains is what was removed from the visitor's
 * question.
 */
export function toEmbedMessage({
  message_id,
  role,
  content,
  status,
  finish_reason,
  checks,
  attachments,
  tool_cards,
  person,
  digital_source_type,
  created_at,
}: StoredMessage): EmbedMessage {
  const visibleRole = role === "user" ? role : "assistant";
  const removed = checks?.find(({ stage }) => stage === "input")?.removed;
  return {
    message_id,
    role: visibleRole,
    content: toEmbedBlocks(content),
    status: finish_reason ? "interrupted" : status,
    ...(removed && { removed }),
    ...(attachments && {
      attachments: attachments.map(({ id, file_name, kind, size }) => ({ id, file_name, kind, size })),
    }),
    ...(tool_cards && { tool_cards }),
    ...(person && { person }),
    ...(digital_source_type && { digital_source_type }),
    created_at,
  };
}

/** Returns a persona as widget visitors see it. Without a persona, the name is "Assistant". */
export function toEmbedPersona(
  persona: Pick<Persona, "name" | "greeting" | "starter_prompts"> | null,
): EmbedSession["persona"] {
  const { name, greeting, starter_prompts } = persona ?? { name: "Assistant", greeting: "", starter_prompts: [] };
  return { name, greeting, starter_prompts };
}

function toPublicBlock(block: Block): PublicBlock[] {
  switch (block.type) {
    case "citation":
      return [{ type: block.type, index: block.index, title: block.title }];
    case "memory_proposal":
    case "memory_deletion":
    case "knowledge_proposal":
    case "follow_ups":
      return [];
    default:
      return [block];
  }
}

/** Returns messages as readers of a share link see them. Omits system messages and messages without visible blocks. */
export function toPublicMessages(
  messages: readonly Pick<Message, "content" | Exclude<keyof PublicMessage, "content">>[],
): PublicMessage[] {
  return messages.flatMap(({ role, content, ...message }) => {
    const blocks = content.flatMap(toPublicBlock);
    return role === "system" || blocks.length === 0
      ? []
      : [v.parse(PublicMessage, { ...message, role, content: blocks })];
  });
}
