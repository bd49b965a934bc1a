import { listGrants } from "#shared/api/sharing.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import * as grants from "#shared/data/grant-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(listGrants, async ({ principal, params, query }) => {
  await conversationFor(principal, params.id, "owner");
  const { entries, next } = await grants.listGrants(principal, params.id, query);
  return { grants: [...entries], limit: query.limit, next_cursor: next };
});
