import { getMeRoute } from "#shared/api/tenancy/identity.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";

export const handler = endpoint(getMeRoute, async ({ principal, tenant }) => ({
  user_id: principal.userId,
  tenant_id: principal.tenantId,
  tenant_slug: tenant.slug,
  roles: [...principal.roles],
  email: principal.email,
  name: principal.name,
  auth_provider: principal.provider,
  token_expires_at: principal.expiresAt === null ? null : timestamp(principal.expiresAt * 1_000),
}));
