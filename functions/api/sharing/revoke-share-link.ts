import { revokeShareLink } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import * as links from "#shared/conversations/sharing/share-link-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(revokeShareLink, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  await links.revokeShareLink(principal, params.id, params.link_id);
});
