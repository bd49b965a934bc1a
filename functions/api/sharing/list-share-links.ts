import { listShareLinks } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import * as links from "#shared/conversations/sharing/share-link-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listShareLinks, async ({ principal, params, query }) => {
  await authorizeConversation(principal, params.id, "owner");
  const { entries, next } = await links.listShareLinks(principal, params.id, query);
  return { links: [...entries], limit: query.limit, next_cursor: next };
});
