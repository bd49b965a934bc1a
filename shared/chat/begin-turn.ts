import { defaultTier, type Tier } from "../api/tiers.ts";
import type { ChatPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { Write } from "../dynamodb/table.ts";
import { timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { selectModel } from "../models/model.ts";
import { findPersonaForChat } from "../personas/persona-store.ts";
import { type StoredRun, startRun } from "../runs/run-store.ts";
import { newTurn, type Turn } from "./turn.ts";

/** Request to answer a new message, or to regenerate the answer to an earlier one. */
export interface ChatRequest {
  readonly conversation_id: string;
  /** Text of the new message; absent if an earlier message is answered again. */
  readonly content?: string;
  readonly tier?: Tier;
  readonly parent_message_id: string | null;
  readonly regenerate_message_id: string | null;
}

/** Parts of the request context that a turn needs. */
export interface TurnContext {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** Returns the write that records the run's id for retries of an idempotent request, or null. */
  recordStart(messageId: string): Write | null;
  /** Writes to place in one transaction with the question; if a condition fails, the run does not start. */
  readonly transactionWrites?: readonly Write[];
}

/**
 * Stores the run, then the question that it answers.
 * @throws ServiceError `not_found` if the conversation or message does not exist or the principal cannot access it
 */
export async function beginTurn(principal: ChatPrincipal, request: ChatRequest, context: TurnContext): Promise<Turn> {
  const conversation = await authorizeConversation(principal, request.conversation_id, "WRITE");
  const [question, persona] = await Promise.all([
    resolveQuestion(principal, request),
    findPersonaForChat(principal, conversation.persona_id),
  ]);
  const tier = request.tier ?? defaultTier;
  const run: StoredRun = {
    message_id: newId(),
    conversation_id: conversation.id,
    user_message_id: question.message_id,
    user_id: principal.userId,
    request_id: context.requestId,
    parent_id: question.parent_id,
    persona_id: conversation.persona_id,
    tier,
    model: selectModel({ tier, model: persona?.model ?? null }),
    created_at: timestamp(),
  };
  const startRecord = context.recordStart(run.message_id);
  const isNew = request.content !== undefined;
  await startRun(principal, { conversation, question, isNew, run }, [
    ...(startRecord ? [startRecord] : []),
    ...(context.transactionWrites ?? []),
  ]);
  return newTurn({ principal, conversation, question, run, persona, signal: context.signal });
}

/** Returns the stored question of the answer to regenerate, or a new message that is not stored yet. */
async function resolveQuestion(principal: ChatPrincipal, request: ChatRequest): Promise<StoredMessage> {
  const { conversation_id, content, parent_message_id, regenerate_message_id } = request;
  const requireMessage = async (id: string | undefined) => {
    const message = id && (await findMessage(principal, conversation_id, id));
    if (!message) throw notFound();
    return message;
  };
  if (regenerate_message_id !== null) {
    return requireMessage((await requireMessage(regenerate_message_id)).question_id);
  }
  if (parent_message_id !== null) await requireMessage(parent_message_id);
  return {
    message_id: newId(),
    conversation_id,
    role: "user",
    content: [{ type: "text", text: content ?? "" }],
    status: "complete",
    parent_id: parent_message_id,
    author_id: principal.userId,
    tier: null,
    model: null,
    usage: null,
    alert: null,
    created_at: timestamp(),
    edited_at: null,
  };
}
