import type { ImportedMessage } from "../api/conversations/import-messages.ts";
import type { Write } from "../dynamodb/table.ts";
import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { type StoredConversation, touchConversationWrite } from "./conversation-store.ts";
import { parseBlocks } from "./markdown-blocks.ts";
import { newMessageWrite, type StoredMessage } from "./message-store.ts";

/**
 * Returns the writes that append imported messages to a conversation, in the given order. An answer belongs to the
 * question before it.
 */
export function importMessagesWrites(
  member: UserScope,
  conversation: StoredConversation,
  messages: readonly ImportedMessage[],
): Write[] {
  let questionId: string | undefined;
  const stored = messages.map(({ role, text, created_at }): StoredMessage => {
    const message_id = newId();
    const isQuestion = role === "user";
    const message = {
      message_id,
      conversation_id: conversation.id,
      role,
      content: isQuestion ? [{ type: "text" as const, text }] : parseBlocks(text),
      status: "complete" as const,
      parent_id: null,
      author_id: isQuestion ? member.userId : null,
      tier: null,
      model: null,
      usage: null,
      alert: null,
      imported: true as const,
      created_at: created_at ?? timestamp(),
      edited_at: null,
      // Imported text was not checked: questions are checked again for each prompt, answers count as text of others.
      ...(isQuestion
        ? { flagged: true }
        : {
            digital_source_type: "trainedAlgorithmicMedia" as const,
            read_origins: ["import"],
            ...(questionId && { question_id: questionId }),
          }),
    };
    if (isQuestion) questionId = message_id;
    return message;
  });
  return [
    ...stored.map((message) => newMessageWrite(member, message)),
    touchConversationWrite(member, conversation, stored.length),
  ];
}
