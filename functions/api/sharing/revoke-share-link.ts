import { revokeShareLinkRoute } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { revokeShareLink } from "#shared/conversations/sharing/share-link-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(revokeShareLinkRoute, async ({ principal, params, rights }) => {
  const { permissions } = await rights();
  if (!permissions.has("rbac.manage")) await authorizeConversation(principal, params.id, "owner");
  await revokeShareLink(principal, params.id, params.link_id);
});
