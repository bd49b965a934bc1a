import type { ExportFormat } from "../../api/governance/policy.ts";
import type { StoredConversation } from "../../conversations/conversation-store.ts";
import { messagesUntil } from "../../conversations/message-store.ts";
import type { TenantScope } from "../../dynamodb/tenant-scope.ts";
import { transcripts } from "./transcript.ts";

/** A part of a text, and where the next one begins: null at the end. */
export interface TextPart {
  readonly text: string;
  readonly next: string | null;
}

/**
 * A part of the transcript of a conversation, as it was at a certain time.
 * @param cursor where an earlier part ended
 */
export async function transcriptPart(
  scope: TenantScope,
  conversation: StoredConversation,
  format: ExportFormat,
  at: string,
  cursor?: string,
): Promise<TextPart> {
  const transcript = transcripts[format];
  const { entries, next } = await messagesUntil(scope, conversation.id, at, cursor);
  const text = [
    cursor === undefined ? transcript.begin(conversation, at) : "",
    transcript.messages(entries, cursor === undefined),
    next === null ? transcript.end() : "",
  ];
  return { text: text.join(""), next };
}

/** Characters of a transcript that are given in one answer: what API Gateway takes, in the longest of alphabets. */
const longest = 1_500_000;

/** The whole transcript of a conversation; null where it is too long for one answer. */
export async function transcriptOf(
  scope: TenantScope,
  conversation: StoredConversation,
  format: ExportFormat,
  at: string,
): Promise<string | null> {
  let text = "";
  for (let cursor: string | undefined; ; ) {
    const part = await transcriptPart(scope, conversation, format, at, cursor);
    text += part.text;
    if (text.length > longest) return null;
    if (part.next === null) return text;
    cursor = part.next;
  }
}
