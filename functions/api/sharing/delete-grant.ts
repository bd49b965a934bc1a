import { deleteGrantRoute } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { deleteGrant } from "#shared/conversations/sharing/grant-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteGrantRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  await deleteGrant(principal, params.id, params.user_id);
});
