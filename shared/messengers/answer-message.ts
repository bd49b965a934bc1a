import type { Conversation } from "../api/conversations/conversations.ts";
import { defaultTier } from "../api/tiers.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { beginTurn } from "../chat/begin-turn.ts";
import { launchTurn } from "../chat/launch-turn.ts";
import type { Turn } from "../chat/turn.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { findConversation, newConversation, newConversationWrites } from "../conversations/conversation-store.ts";
import { ConditionFailed, TransactionFailed } from "../dynamodb/table.ts";
import { type TenantScope, tenantTable } from "../dynamodb/tenant-scope.ts";
import { now } from "../lib/clock.ts";
import { ServiceError } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { findPersonaForChat } from "../personas/persona-for-chat.ts";
import { FUNCTION_TIMEOUT_MS, RunController } from "../runs/run-controller.ts";
import { getTenant } from "../tenancy/tenant-store.ts";
import { attachFiles } from "./attach-files.ts";
import type { MessengerClient } from "./client.ts";
import { completeEvent, type MessengerMessage, startWrite } from "./event-store.ts";
import { findPerson } from "./find-person.ts";
import { streamAnswer } from "./post-answer.ts";
import { findThread, threadWrite } from "./thread-store.ts";

/**
 * Returns the conversation of the message's thread. Creates one for the first message of a thread, if the conversation
 * was deleted, or if the message begins a new one.
 * @throws ServiceError `not_found` or `forbidden` if the user has no write access to it
 */
async function resolveConversation(
  principal: UserPrincipal,
  client: MessengerClient,
  message: MessengerMessage,
): Promise<Pick<Conversation, "id" | "tier"> & { readonly alertMessageId?: string | null }> {
  const found = await findThread(principal, message);
  const previous = found?.conversation_id;
  if (previous !== undefined && !message.starts_new && (await findConversation(principal, previous))) {
    return {
      ...(await authorizeConversation(principal, previous, "WRITE")),
      alertMessageId: found?.alertMessageId ?? null,
    };
  }
  const persona = await findPersonaForChat(principal, client.personaId);
  const conversation = newConversation(principal.userId, {
    title: null,
    folder_id: null,
    persona_id: persona?.id ?? null,
    tier: persona?.tier ?? defaultTier,
  });
  try {
    await tenantTable(principal).transact([
      threadWrite(principal, message, conversation.id, previous),
      ...newConversationWrites(principal, conversation),
    ]);
    return conversation;
  } catch (error) {
    if (!(error instanceof TransactionFailed)) throw error;
    // Another message of the thread was faster.
    return resolveConversation(principal, client, message);
  }
}

/**
 * Stores the question that a message asks, with its files and its run.
 * @returns null if another function has already done so
 * @throws ServiceError `unsupported_content` if the message has files of which none can be read
 */
async function begin(
  principal: UserPrincipal,
  client: MessengerClient,
  message: MessengerMessage,
  signal: AbortSignal,
): Promise<{ readonly turn: Turn; readonly started: MessengerMessage } | null> {
  const [tenant, { id: conversation_id, tier, alertMessageId = null }] = await Promise.all([
    getTenant(principal),
    resolveConversation(principal, client, message),
  ]);
  const { messenger, workspace_id, event_id } = message;
  const { ids, names, notes } = await attachFiles(principal, client, message, conversation_id);
  // As with the API: a question about a file is not answered without it, unless others could be read.
  if (notes.length > 0 && ids.length === 0) throw new ServiceError("unsupported_content", notes.join(" "));
  const request = {
    conversation_id,
    content: message.text || names.join(", "),
    ...(ids.length > 0 && { attachments: ids }),
    tier,
    parent_message_id: alertMessageId,
    regenerate_message_id: null,
    messenger_event: { messenger, workspace_id, event_id },
    in_channel: !message.is_direct,
  };
  const file_notes = notes.length > 0 ? { file_notes: [...notes] } : {};
  const recordStart = (message_id: string) =>
    startWrite(principal, message, { conversation_id, message_id, ...file_notes });
  try {
    const context = { requestId: newId(), signal, tenant, keyId: null, recordStart };
    const turn = await beginTurn(principal, request, context);
    const started = { ...message, ...file_notes, conversation_id, message_id: turn.run.message_id };
    return { turn, started };
  } catch (error) {
    if (error instanceof TransactionFailed || error instanceof ConditionFailed) return null;
    throw error;
  }
}

/** Returns a text that tells why a message is not answered. */
function explain(error: ServiceError, { markup }: MessengerClient): string {
  return error.code === "not_found" || error.code === "forbidden"
    ? "This thread is a conversation of another person. Ask its owner to share it with you, or start a new thread."
    : `The question was not answered: ${markup.escape(error.message)}`;
}

/**
 * Answers a message in its thread, with the permissions of the linked user. Idempotent: the question is stored once.
 */
export async function answerMessage(
  scope: TenantScope,
  client: MessengerClient,
  message: MessengerMessage,
): Promise<void> {
  if (message.state !== "received") return;
  const startedAt = now();
  const complete = async (text?: string) => {
    if (text !== undefined) await client.tell(message, text);
    await completeEvent(scope, message);
  };
  if ((await getTenant(scope)).suspended_at) return complete();
  const principal = await findPerson(scope, client, message);
  if (!principal) return complete();
  if (message.text === "" && !message.files) return complete("Write your question after the mention.");
  const controller = new RunController(FUNCTION_TIMEOUT_MS - (now() - startedAt));
  let begun: Awaited<ReturnType<typeof begin>>;
  try {
    begun = await begin(principal, client, message, controller.signal);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status >= 500) throw error;
    return complete(explain(error, client));
  }
  if (!begun) return;
  const run = launchTurn(begun.turn, controller);
  // The run does not depend on the messenger: without it, the answer is in the console.
  const posted = streamAnswer(scope, client, begun.started, run.feed).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  await run.finished;
  const failure = await posted;
  if (failure) throw failure.error;
}
