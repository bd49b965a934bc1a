import { deleteGrant } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import * as grants from "#shared/conversations/sharing/grant-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteGrant, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  await grants.deleteGrant(principal, params.id, params.user_id);
});
