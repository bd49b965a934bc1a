import type { Tier } from "#shared/api/tiers.ts";
import type { UserPrincipal } from "#shared/auth/principal.ts";
import { beginTurn } from "#shared/chat/begin-turn.ts";
import type { Turn } from "#shared/chat/turn.ts";
import { newConversation, newConversationWrites } from "#shared/conversations/conversation-store.ts";
import { addMessage, type StoredMessage } from "#shared/conversations/message-store.ts";
import { tableOf } from "#shared/dynamodb/tenant-scope.ts";
import { newId } from "#shared/lib/ids.ts";

/** Whoever asks in suites that look at a turn from inside. */
export const asker: UserPrincipal = {
  kind: "user",
  tenantId: "t",
  userId: "asker",
  roles: [],
  email: null,
  name: null,
  provider: "local",
  expiresAt: null,
};

/** A turn that has begun, in a conversation with so many messages before it. */
export async function begunTurn(tier: Tier, before = 0): Promise<Turn> {
  const conversation = newConversation("asker", { title: "t", tier, folder_id: null, persona_id: null });
  await tableOf(asker).transact(newConversationWrites(asker, conversation));
  for (let n = 0; n < before; n++) {
    const message = { message_id: newId(), conversation_id: conversation.id, role: "user", parent_id: null };
    await addMessage(asker, { ...message, content: [{ type: "text", text: `No. ${n}` }] } as unknown as StoredMessage);
  }
  return beginTurn(
    asker,
    {
      conversation_id: conversation.id,
      content: "Hello",
      tier,
      parent_message_id: null,
      regenerate_message_id: null,
    },
    { requestId: "r", signal: new AbortController().signal, recordStart: () => null },
  );
}
