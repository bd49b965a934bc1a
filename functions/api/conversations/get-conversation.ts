import { getConversation } from "#shared/api/conversations/conversations.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getConversation, ({ principal, params }) =>
  authorizeConversation(principal, params.id, "READ"),
);
