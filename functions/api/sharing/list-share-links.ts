import { listShareLinksRoute } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { listShareLinks } from "#shared/conversations/sharing/share-link-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";

export const handler = endpoint(listShareLinksRoute, async ({ principal, params, query }) => {
  await authorizeConversation(principal, params.id, "owner");
  const page = await listShareLinks(principal, params.id, query);
  return pageReply("links", page, query.limit);
});
