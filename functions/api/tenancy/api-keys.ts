import { ACT_AS_SCOPE, scopePresets } from "#shared/api/scopes.ts";
import { createApiKeyRoute, listApiKeysRoute, revokeApiKeyRoute } from "#shared/api/tenancy/api-keys.ts";
import { requireSecretOf } from "#shared/auth/accepted-secrets.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { deriveKey, hashCredential, keyPrefix } from "#shared/auth/credentials.ts";
import { endpoint, secretEndpoint } from "#shared/http/endpoint.ts";
import { now, timestamp } from "#shared/lib/clock.ts";
import { invalidField } from "#shared/lib/errors.ts";
import { newId } from "#shared/lib/ids.ts";
import { authorizeGrant } from "#shared/tenancy/access-rights.ts";
import { ACT_AS_CAPABILITY } from "#shared/tenancy/act-as.ts";
import { listApiKeys, newApiKeyWrites, revokeApiKey, toKeyHint } from "#shared/tenancy/api-key-store.ts";

export const createApiKeyHandler = secretEndpoint(
  createApiKeyRoute,
  async ({ principal, tenant, body, rights, commit }) => {
    if (body.expires_at !== null && Date.parse(body.expires_at) <= now())
      throw invalidField("expires_at", "not_in_future", "must be in the future");
    const { preset, scopes = [], ...settings } = body;
    const { permissions } = await rights();
    const allScopes = [...new Set([...(preset ? scopePresets[preset] : []), ...scopes])];
    if (allScopes.includes(ACT_AS_SCOPE)) authorizeGrant(permissions, [ACT_AS_CAPABILITY]);
    const key = {
      id: newId(),
      key_prefix: keyPrefix("api-key", tenant.slug),
      ...settings,
      scopes: allScopes,
      is_revoked: false,
      created_at: timestamp(),
      created_by: principal.userId,
      last_used_at: null,
    };
    const { current } = await loadAppSecrets();
    const hash = hashCredential(deriveKey("api-key", current, { id: key.id, slug: tenant.slug }));
    return commit({ ...key, hash }, ...newApiKeyWrites(principal, key, { hash, permissions: [...permissions] }));
  },
  async (stored, { slug }) => {
    const derive = (secret: string) => deriveKey("api-key", secret, { id: stored.id, slug });
    const key = derive(requireSecretOf(await loadAppSecrets(), stored.hash, derive));
    return { ...stored, key_hint: toKeyHint(key), key };
  },
);

export const listApiKeysHandler = endpoint(listApiKeysRoute, async ({ principal }) => ({
  keys: await listApiKeys(principal, await loadAppSecrets()),
}));

export const revokeApiKeyHandler = endpoint(revokeApiKeyRoute, ({ principal, params }) =>
  revokeApiKey(principal, params.id),
);
