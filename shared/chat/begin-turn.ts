import { defaultTier, type Tier } from "../api/tiers.ts";
import type { ChatPrincipal } from "../auth/principal.ts";
import { authorizeConversation } from "../conversations/authorize-conversation.ts";
import { findMessage, type StoredMessage } from "../conversations/message-store.ts";
import type { Write } from "../dynamodb/table.ts";
import { timestamp } from "../lib/clock.ts";
import { notFound } from "../lib/errors.ts";
import { newId } from "../lib/ids.ts";
import { modelIdFor } from "../models/model.ts";
import { personaForChat } from "../personas/persona-store.ts";
import { type StoredRun, startRun } from "../runs/run-store.ts";
import { newTurn, type Turn } from "./turn.ts";

/** What somebody says, and how it is to be answered. */
export interface Utterance {
  readonly conversation_id: string;
  /** Absent where an earlier question is answered again. */
  readonly content?: string;
  readonly tier?: Tier;
  readonly parent_message_id: string | null;
  readonly regenerate_message_id: string | null;
}

/** The circumstances of a turn. */
export interface TurnContext {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** The write that records, for retries, which run answers this request. */
  recordStart(messageId: string): Write | null;
  /** Writes that belong to the beginning: where one of their conditions does not hold, nothing begins. */
  readonly alongside?: readonly Write[];
}

/**
 * Records what was said and the run that is to answer it, in one transaction.
 * @throws ServiceError `not_found` for a conversation or message that is not there for this person
 */
export async function beginTurn(principal: ChatPrincipal, utterance: Utterance, context: TurnContext): Promise<Turn> {
  const conversation = await authorizeConversation(principal, utterance.conversation_id, "WRITE");
  const [question, persona] = await Promise.all([
    questionOf(principal, utterance),
    personaForChat(principal, conversation.persona_id),
  ]);
  const tier = utterance.tier ?? defaultTier;
  const run: StoredRun = {
    message_id: newId(),
    conversation_id: conversation.id,
    user_message_id: question.message_id,
    user_id: principal.userId,
    request_id: context.requestId,
    parent_id: question.parent_id,
    persona_id: conversation.persona_id,
    tier,
    model: modelIdFor(tier),
    created_at: timestamp(),
  };
  const record = context.recordStart(run.message_id);
  const isNew = utterance.content !== undefined;
  await startRun(principal, { conversation, question, isNew, run }, [
    ...(record ? [record] : []),
    ...(context.alongside ?? []),
  ]);
  return newTurn({ principal, conversation, question, run, persona, signal: context.signal });
}

async function questionOf(principal: ChatPrincipal, utterance: Utterance): Promise<StoredMessage> {
  const { conversation_id, content, parent_message_id, regenerate_message_id } = utterance;
  const find = async (id: string | undefined) => {
    const found = id && (await findMessage(principal, conversation_id, id));
    if (!found) throw notFound();
    return found;
  };
  if (regenerate_message_id !== null) return find((await find(regenerate_message_id)).question_id);
  if (parent_message_id !== null) await find(parent_message_id);
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
