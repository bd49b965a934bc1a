import { MAX_BODY_BYTES } from "#shared/api/limits.ts";
import { routes } from "#shared/api/routes.ts";
import { getReceptorRoute } from "#shared/api/tenancy/access.ts";
import { tiers } from "#shared/api/tiers.ts";
import { externalIdOfCaller } from "#shared/auth/principal.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { env } from "#shared/lib/env.ts";
import { hasLanguageModel } from "#shared/models/has-language-model.ts";
import { getAllowedOperations } from "#shared/tenancy/allowed-operations.ts";
import { featureFlags } from "#shared/tenancy/feature-flags.ts";

export const handler = endpoint(getReceptorRoute, async ({ principal, tenant, rights }) => {
  const [{ roles, permissions }, { banner, classification }] = await Promise.all([
    rights(),
    getCurrentPolicy(principal),
  ]);
  const { userId: user_id, email, name } = principal;
  const perMinute = tenant.limits.requests_per_minute ?? Number(env("RATE_LIMIT_TENANT").RATE_LIMIT_TENANT);
  return {
    user: { user_id, external_id: externalIdOfCaller(principal), email, name },
    tenant: { tenant_id: tenant.tenant_id, slug: tenant.slug },
    roles: [...roles],
    permissions: [...permissions],
    operations: getAllowedOperations(routes, permissions, principal),
    tiers: [...tiers],
    features: { ...featureFlags, language_model: hasLanguageModel() },
    limits: { requests_per_minute: perMinute, message_characters: 32_000, page_size: 100, body_bytes: MAX_BODY_BYTES },
    policy: { banner, classification },
  };
});
