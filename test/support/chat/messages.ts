import type { StoredMessage } from "#shared/conversations/message-store.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";

/** Creates a user message of one text block, without storing it. */
export function newUserMessage(conversationId: string, text: string): StoredMessage {
  return {
    message_id: newId(),
    conversation_id: conversationId,
    role: "user",
    content: [{ type: "text", text }],
    status: "complete",
    parent_id: null,
    author_id: "user",
    tier: null,
    model: null,
    usage: null,
    alert: null,
    created_at: timestamp(),
    edited_at: null,
  };
}
