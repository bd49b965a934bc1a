import type { EmbedKey } from "../api/tenancy/embed-keys.ts";
import type { EmbedKeyPrincipal } from "../auth/principal.ts";
import { getAttachmentsToSend, sentWrite, toMessageAttachment } from "../conversations/attachments/attachment-store.ts";
import { getConversation, touchConversationWrite } from "../conversations/conversation-store.ts";
import { parseBlocks } from "../conversations/markdown-blocks.ts";
import { listMessagesAfter, newMessageWrite, type StoredMessage } from "../conversations/message-store.ts";
import type { Write } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { findRun } from "../runs/run-store.ts";
import { stopRun } from "../runs/stop-run.ts";
import { countMessageWrite, type StoredEmbedSession } from "../visitors/embed-session-store.ts";
import { hasWord } from "../visitors/find-word.ts";
import { personMessageWrite, visitorMessageWrite } from "../visitors/handover-changes.ts";
import { findHandover, isHeld, requestHandover, type StoredHandover } from "../visitors/handover-store.ts";
import { consumeVisitorQuota } from "./begin-embed-turn.ts";
import { getSessionLimits } from "./embed-session.ts";
import { toVisitorPrincipal } from "./embed-visitor.ts";

type NewMessage = Pick<StoredMessage, "conversation_id" | "role" | "content" | "author_id">;

const newMessage = (fields: NewMessage): StoredMessage => ({
  message_id: newId(),
  ...fields,
  status: "complete",
  ...{ parent_id: null, tier: null, model: null, usage: null, alert: null, edited_at: null },
  created_at: timestamp(),
});

interface VisitorMessage {
  readonly content: string;
  readonly attachments?: readonly string[] | undefined;
}

/** Returns whether a session is not with the assistant. A word of the key's list asks for a person. */
async function isForPerson(
  principal: EmbedKeyPrincipal,
  embedKey: EmbedKey,
  session: StoredEmbedSession,
  { content }: VisitorMessage,
): Promise<boolean> {
  if (!embedKey.handover) return false;
  if (isHeld(await findHandover(principal, session.conversation_id))) return true;
  if (!hasWord(content, embedKey.handover.words)) return false;
  return isHeld(await requestHandover(principal, embedKey, session, { reason: "word", question: content }));
}

/**
 * Stores the message of a visitor whose session waits for a person or is with one, and counts it in the session.
 * @param record returns the write that records the start of an idempotent request
 * @returns null if the session is with the assistant, which answers the message
 * @throws HandoverChanged if the session changes in the meantime; ServiceError `session_expired`, `session_full`, `rate_limited`
 */
export async function holdMessage(
  principal: EmbedKeyPrincipal,
  embedKey: EmbedKey,
  session: StoredEmbedSession,
  message: VisitorMessage,
  record: (messageId: string) => Write | null,
): Promise<StoredMessage | null> {
  if (!(await isForPerson(principal, embedKey, session, message))) return null;
  const { conversation_id } = session;
  const visitor = toVisitorPrincipal(principal, session);
  const [conversation, files] = await Promise.all([
    getConversation(visitor, conversation_id),
    getAttachmentsToSend(visitor, conversation_id, message.attachments ?? []),
    consumeVisitorQuota(principal, session),
  ]);
  const content: StoredMessage["content"] = [{ type: "text", text: message.content }];
  const stored: StoredMessage = {
    ...newMessage({ conversation_id, role: "user", content, author_id: visitor.userId }),
    to_person: true,
    ...(files.length > 0 && { attachments: files.map(toMessageAttachment) }),
  };
  const { message_id: messageId } = stored;
  const recorded = record(messageId);
  await tenantTable(visitor).transact([
    ...(recorded ? [recorded] : []),
    countMessageWrite(principal, session, getSessionLimits(embedKey)),
    visitorMessageWrite(principal, session, { messageId, text: message.content }),
    ...files.map((file) => sentWrite(visitor, file, messageId)),
    newMessageWrite(visitor, stored),
    touchConversationWrite(visitor, conversation, 1),
  ]);
  return stored;
}

/** Person who answers a visitor, with the name that the visitor sees. */
interface Answerer {
  readonly userId: string;
  readonly shownName: string | null;
}

/**
 * Returns a message of a person to a visitor, and the writes that store it. They throw ServiceError `conflict` if the person does
 * not have the session.
 */
export async function newPersonMessage(
  scope: TenantScope,
  { conversation_id }: StoredHandover,
  { userId, shownName }: Answerer,
  content: string,
): Promise<{ readonly message: StoredMessage; readonly writes: readonly Write[] }> {
  const conversation = await getConversation(scope, conversation_id);
  const message: StoredMessage = {
    ...newMessage({ conversation_id, role: "assistant", content: parseBlocks(content), author_id: userId }),
    person: { name: shownName },
  };
  return {
    message,
    writes: [
      personMessageWrite(scope, conversation_id, userId, message.message_id),
      newMessageWrite(scope, message),
      touchConversationWrite(scope, conversation, 1),
    ],
  };
}

/** Stops the answer of the assistant that is in progress when a person claims a session. */
export async function stopAnswer(scope: TenantScope, { conversation_id }: StoredHandover): Promise<void> {
  const [last] = (await listMessagesAfter(scope, conversation_id, undefined, 1)).filter(({ role }) => role === "user");
  const run = last?.reply_id === undefined ? undefined : await findRun(scope, last.reply_id);
  if (!run) return;
  await stopRun(scope, run, async (result, write) => {
    await tenantTable(scope).write(write);
    return result;
  });
}
