import type { Tier } from "../api/tiers.ts";
import { defaultTier } from "../api/tiers.ts";
import type { UserPrincipal } from "../auth/principal.ts";
import { timestamp } from "../clock.ts";
import { getConversation } from "../data/conversation-store.ts";
import type { StoredMessage } from "../data/message-store.ts";
import { startRun } from "../data/run-store.ts";
import { accessOf } from "../domain/access.ts";
import { newId } from "../ids.ts";
import { modelIdFor } from "./models/model.ts";
import type { Turn } from "./turn.ts";

/** What somebody says, and how it is to be answered. */
export interface Utterance {
  readonly conversation_id: string;
  readonly content: string;
  readonly tier?: Tier;
}

/**
 * Records what was said and the run that is to answer it, in one transaction.
 * @throws ServiceError `not_found` for a conversation that is not there for this person
 */
export async function beginTurn(
  principal: UserPrincipal,
  utterance: Utterance,
  { requestId, signal }: { requestId: string; signal: AbortSignal },
): Promise<Turn> {
  const conversation = await getConversation(principal, utterance.conversation_id);
  accessOf(conversation, principal.userId);
  const tier = utterance.tier ?? defaultTier;
  const createdAt = timestamp();
  const question: StoredMessage = {
    message_id: newId(),
    conversation_id: conversation.id,
    role: "user",
    content: [{ type: "text", text: utterance.content }],
    status: "complete",
    parent_id: null,
    author_id: principal.userId,
    tier: null,
    model: null,
    usage: null,
    alert: null,
    created_at: createdAt,
    edited_at: null,
  };
  const messageId = newId();
  const modelId = modelIdFor(tier);
  await startRun(principal, conversation, question, {
    message_id: messageId,
    conversation_id: conversation.id,
    user_message_id: question.message_id,
    user_id: principal.userId,
    tier,
    model: modelId,
    created_at: createdAt,
  });
  return {
    principal,
    requestId,
    conversation,
    question,
    messageId,
    tier,
    modelId,
    createdAt,
    signal,
    model: null,
    prompt: [],
    text: "",
    usage: undefined,
    timings: [],
    firstTokenAt: null,
  };
}
