import { deleteGrant } from "#shared/api/sharing.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import * as grants from "#shared/data/grant-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteGrant, async ({ principal, params }) => {
  await conversationFor(principal, params.id, "owner");
  await grants.deleteGrant(principal, params.id, params.user_id);
});
