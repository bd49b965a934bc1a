import { getMeRoute } from "#shared/api/tenancy/identity.ts";
import { externalIdOfCaller } from "#shared/auth/principal.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { findUser } from "#shared/tenancy/user-store.ts";

export const getMeHandler = endpoint(getMeRoute, async ({ principal, tenant }) => ({
  user_id: principal.userId,
  external_id: externalIdOfCaller(principal),
  tenant_id: principal.tenantId,
  tenant_slug: tenant.slug,
  roles: [...principal.roles],
  email: principal.email,
  name: principal.name,
  auth_provider: principal.provider,
  token_expires_at: principal.expiresAt === null ? null : timestamp(principal.expiresAt * 1_000),
  acting_keys: Object.entries((await findUser(principal, principal.userId))?.key_uses ?? {}).map(
    ([key_id, last_used_at]) => ({ key_id, last_used_at }),
  ),
}));
