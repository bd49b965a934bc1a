import type { Tier } from "#shared/api/tiers.ts";
import type { UserPrincipal } from "#shared/auth/principal.ts";
import { beginTurn, type TurnContext } from "#shared/chat/begin-turn.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { addMessage } from "#shared/conversations/message-store.ts";
import { tenantTable } from "#shared/dynamodb/tenant-scope.ts";
import type { Tenant } from "#shared/tenancy/tenant-store.ts";
import { newUserMessage } from "#test/support/chat/messages.ts";

/** User who sends the messages in suites that call turn internals. */
export const requester: UserPrincipal = {
  kind: "user",
  tenantId: "t",
  userId: "asker",
  roles: [],
  email: null,
  name: null,
  provider: "local",
  expiresAt: null,
};

/** Tenant of the requester; tests that need budgets set them. */
export const tenant: Tenant = {
  tenant_id: "t",
  slug: "tenant00",
  name: null,
  plan: null,
  limits: {},
  budgets: [],
  billing_id: null,
  issuer_ids: [],
  budget_count: 0,
  suspended_at: null,
  deletion_requested_at: null,
  deletion_proof: null,
  deletion_completed_at: null,
  created_at: "2026-01-01T00:00:00.000Z",
};

/** Stores a new conversation of the requester and returns its id. */
export async function createConversation(tier: Tier): Promise<string> {
  const conversation = newConversation("asker", { title: "t", tier, folder_id: null, persona_id: null });
  await tenantTable(requester).transact(newConversationWrites(requester, conversation));
  return conversation.id;
}

/** Begins a turn in a conversation, with a new message or to regenerate an answer. */
export const beginTurnIn = (
  conversation_id: string,
  tier: Tier,
  recordStart: TurnContext["recordStart"] = () => null,
  regenerate_message_id: string | null = null,
  ofTenant = tenant,
): Promise<Turn> =>
  beginTurn(
    requester,
    {
      conversation_id,
      ...(regenerate_message_id === null && { content: "Hello" }),
      tier,
      parent_message_id: null,
      regenerate_message_id,
    },
    { requestId: "r", signal: new AbortController().signal, recordStart, tenant: ofTenant, keyId: null },
  );

/** Begins a turn in a new conversation that already has `previousMessages` messages. */
export async function startTurn(tier: Tier, previousMessages = 0, ofTenant = tenant): Promise<Turn> {
  const conversationId = await createConversation(tier);
  for (let n = 0; n < previousMessages; n++) {
    await addMessage(requester, newUserMessage(conversationId, `No. ${n}`));
  }
  return beginTurnIn(conversationId, tier, undefined, null, ofTenant);
}
