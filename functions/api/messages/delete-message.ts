import { deleteMessage } from "#shared/api/messages.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import * as messages from "#shared/data/message-store.ts";
import { checkChangeable } from "#shared/domain/message-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteMessage, async ({ principal, params }) => {
  const { access } = await conversationFor(principal, params.id, "WRITE");
  const message = await messages.getMessage(principal, params.id, params.mid);
  checkChangeable(message, principal.userId, access);
  await messages.deleteMessage(principal, message);
});
