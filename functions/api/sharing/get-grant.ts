import { getGrantRoute } from "#shared/api/conversations/sharing.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { findGrant } from "#shared/conversations/sharing/grant-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";

export const handler = endpoint(getGrantRoute, async ({ principal, params }) => {
  await authorizeConversation(principal, params.id, "owner");
  const grant = await findGrant(principal, params.id, params.user_id);
  if (!grant) throw notFound();
  return grant;
});
