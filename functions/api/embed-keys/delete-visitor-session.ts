import { deleteVisitorSessionRoute } from "#shared/api/embed/visitors.ts";
import { deleteSession, getSessionOfKey } from "#shared/embed/embed-session-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteVisitorSessionRoute, async ({ principal, params }) => {
  await deleteSession(principal, await getSessionOfKey(principal, params.id, params.session_id));
});
