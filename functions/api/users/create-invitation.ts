import { createInvitationRoute } from "#shared/api/tenancy/invitations.ts";
import { serviceIdOf } from "#shared/auth/principal.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { authorizeRoleGrant } from "#shared/tenancy/access-rights.ts";
import { getGroup } from "#shared/tenancy/group-store.ts";
import { createInvitation } from "#shared/tenancy/members/invitation-store.ts";
import { toInvitationUrl } from "#shared/tenancy/members/invitation-url.ts";

export const handler = endpoint(createInvitationRoute, async ({ principal, rights, baseUrl, body }) => {
  const groups = await Promise.all(body.group_ids.map((id) => getGroup(principal, id)));
  const { permissions } = await rights();
  await authorizeRoleGrant(
    principal,
    permissions,
    groups.flatMap(({ roles }) => roles),
  );
  const { apiKey, userId } = principal;
  // A service has no rights of its own: at the acceptance, those of the creator of its key count.
  const created_by = apiKey && userId === serviceIdOf(apiKey.id) ? apiKey.creatorId : userId;
  const { invitation, token } = await createInvitation(principal, {
    ...body,
    is_administrator: false,
    created_by,
  });
  return new Reply(201, { ...invitation, url: toInvitationUrl(baseUrl, token) });
});
