import { getShareLinkRoute } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { getShareLink } from "#shared/conversations/sharing/share-link-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getShareLinkRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  return getShareLink(principal, params.id, params.link_id);
});
