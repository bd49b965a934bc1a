import { deleteMessage } from "#shared/api/messages.ts";
import { getConversation } from "#shared/data/conversation-store.ts";
import * as messages from "#shared/data/message-store.ts";
import { accessOf } from "#shared/domain/access.ts";
import { checkChangeable } from "#shared/domain/message-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteMessage, async ({ principal, params }) => {
  const access = accessOf(await getConversation(principal, params.id), principal.userId);
  const message = await messages.getMessage(principal, params.id, params.mid);
  checkChangeable(message, principal.userId, access);
  await messages.deleteMessage(principal, message);
});
