import { createTenantInvitationRoute } from "#shared/api/tenancy/invitations.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { ServiceError } from "#shared/lib/errors.ts";
import { createInvitation } from "#shared/tenancy/members/invitation-store.ts";
import { toInvitationUrl } from "#shared/tenancy/members/invitation-url.ts";
import { getAdministeredTenant } from "#shared/tenancy/tenant-admin-store.ts";

export const handler = endpoint(createTenantInvitationRoute, async ({ principal, params, baseUrl, body }) => {
  const scope = { ...principal, tenantId: params.tenant_id };
  const tenant = await getAdministeredTenant(scope);
  if (tenant.deletion_requested_at) throw new ServiceError("conflict", "The tenant is being deleted.");
  const properties = { ...body, group_ids: [], is_administrator: true, created_by: null };
  const { invitation, token } = await createInvitation(scope, properties);
  return new Reply(201, { ...invitation, url: toInvitationUrl(baseUrl, token) });
});
