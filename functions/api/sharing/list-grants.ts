import { listGrantsRoute } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { listGrants } from "#shared/conversations/sharing/grant-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listGrantsRoute, async ({ principal, params, query }) => {
  await authorizeConversation(principal, params.id, "owner");
  const page = await listGrants(principal, params.id, query);
  return pageReply("grants", page, query.limit);
});
