import { getConversationRoute } from "#shared/api/conversations/conversations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getConversationRoute, ({ principal, params }) =>
  authorizeConversation(principal, params.id, "READ"),
);
