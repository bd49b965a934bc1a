import { getGrant } from "#shared/api/sharing.ts";
import { conversationFor } from "#shared/data/access-store.ts";
import { findGrant } from "#shared/data/grant-store.ts";
import { notFound } from "#shared/errors.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getGrant, async ({ principal, params }) => {
  await conversationFor(principal, params.id, "owner");
  const grant = await findGrant(principal, params.id, params.user_id);
  if (!grant) throw notFound();
  return grant;
});
