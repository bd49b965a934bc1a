import { getConversation } from "#shared/api/conversations/conversations.ts";
import { conversationFor } from "#shared/conversations/access-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getConversation, ({ principal, params }) =>
  conversationFor(principal, params.id, "READ"),
);
