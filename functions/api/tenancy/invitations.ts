import {
  acceptInvitationRoute,
  createInvitationRoute,
  createTenantInvitationRoute,
  listInvitationsRoute,
  revokeInvitationRoute,
} from "#shared/api/tenancy/invitations.ts";
import { serviceIdOf } from "#shared/auth/principal.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { authorizeRoleGrant } from "#shared/tenancy/access-rights.ts";
import { getGroup } from "#shared/tenancy/group-store.ts";
import { acceptInvitation } from "#shared/tenancy/members/accept-invitation.ts";
import { createInvitation, listInvitations, revokeInvitation } from "#shared/tenancy/members/invitation-store.ts";
import { toInvitationUrl } from "#shared/tenancy/members/invitation-url.ts";
import { getAdministeredTenant } from "#shared/tenancy/tenant-admin-store.ts";

export const createTenantInvitationHandler = endpoint(
  createTenantInvitationRoute,
  async ({ principal, params, baseUrl, body }) => {
    const scope = { ...principal, tenantId: params.tenant_id };
    const tenant = await getAdministeredTenant(scope);
    if (tenant.deletion_requested_at) throw new ServiceError("conflict", "The tenant is being deleted.");
    const properties = { ...body, group_ids: [], is_administrator: true, created_by: null };
    const { invitation, token } = await createInvitation(scope, properties);
    return new Reply(201, { ...invitation, url: toInvitationUrl(baseUrl, token) });
  },
);

export const acceptInvitationHandler = endpoint(acceptInvitationRoute, async ({ principal, body }) => {
  const groups = await acceptInvitation(principal, body.token);
  return { groups: groups.map(({ id, name }) => ({ id, name })) };
});

export const createInvitationHandler = endpoint(createInvitationRoute, async ({ principal, rights, baseUrl, body }) => {
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

export const listInvitationsHandler = endpoint(listInvitationsRoute, async ({ principal }) => ({
  invitations: await listInvitations(principal),
}));

export const revokeInvitationHandler = endpoint(revokeInvitationRoute, ({ principal, params }) =>
  revokeInvitation(principal, params.id),
);
