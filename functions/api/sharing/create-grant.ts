import { createGrantRoute, getGrantRoute } from "#shared/api/conversations/sharing.ts";
import { pathOf } from "#shared/api/define-route.ts";
import { requireNonOwnerGrantee } from "#shared/conversations/access.ts";
import { authorizeConversation } from "#shared/conversations/authorize-conversation.ts";
import { newGrant, newGrantWrites, readGrant, updateGrantWrite } from "#shared/conversations/sharing/grant-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { createOrReplace } from "#shared/http/idempotency/create-or-replace.ts";
import { Reply } from "#shared/http/reply.ts";
import { requireGrantee } from "#shared/tenancy/act-as.ts";
import { getUser } from "#shared/tenancy/user-store.ts";

export const handler = endpoint(createGrantRoute, async ({ principal, params, body, commit }) => {
  const conversation = await authorizeConversation(principal, params.id, "owner");
  requireNonOwnerGrantee(conversation, body.user_id);
  requireGrantee(principal, await getUser(principal, body.user_id));
  const grant = newGrant(conversation, body, principal.userId);
  const location = pathOf(getGrantRoute, { id: params.id, user_id: body.user_id });
  return createOrReplace(
    commit,
    (exists) => ({ reply: new Reply(201, grant, { location }), writes: newGrantWrites(principal, grant, exists) }),
    (existing) => {
      const changed = { ...readGrant(existing), permission: body.permission, granted_by: principal.userId };
      return { reply: new Reply(200, changed), writes: [updateGrantWrite(principal, changed)] };
    },
  );
});
