import {
  createEmbedKeyRoute,
  listEmbedKeysRoute,
  revokeEmbedKeyRoute,
  updateEmbedKeyRoute,
} from "#shared/api/tenancy/embed-keys.ts";
import { requireSecretOf } from "#shared/auth/accepted-secrets.ts";
import { loadAppSecrets } from "#shared/auth/app-secret.ts";
import { deriveKey, hashCredential, keyPrefix } from "#shared/auth/credentials.ts";
import { requireValidTheme } from "#shared/embed/theme.ts";
import { deriveVisitorSecret } from "#shared/embed/visitor-ids.ts";
import { requireVisitorTools } from "#shared/embed/visitor-tools.ts";
import { endpoint, secretEndpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";
import { requirePublicPersona } from "#shared/personas/persona-store.ts";
import { listEmbedKeys, newEmbedKeyWrites, revokeEmbedKey, updateEmbedKey } from "#shared/tenancy/embed-key-store.ts";

export const createEmbedKeyHandler = secretEndpoint(
  createEmbedKeyRoute,
  async ({ principal, tenant, body, commit }) => {
    requireValidTheme(body.theme);
    await requirePublicPersona(principal, body.persona_id);
    await requireVisitorTools(principal, body.tools);
    const key = {
      id: newId(),
      key_prefix: keyPrefix("embed-key", tenant.slug),
      ...body,
      is_revoked: false,
      created_at: timestamp(),
      last_used_at: null,
    };
    const { current } = await loadAppSecrets();
    const hash = hashCredential(deriveKey("embed-key", current, { id: key.id, slug: tenant.slug }));
    return commit({ ...key, hash }, ...newEmbedKeyWrites(principal, key, hash));
  },
  async (stored, { slug, tenant_id }) => {
    const derive = (secret: string) => deriveKey("embed-key", secret, { id: stored.id, slug });
    const secret = requireSecretOf(await loadAppSecrets(), stored.hash, derive);
    const visitor_secret = deriveVisitorSecret(secret, { tenantId: tenant_id, keyId: stored.id });
    return { ...stored, key: derive(secret), visitor_secret };
  },
);

export const listEmbedKeysHandler = endpoint(listEmbedKeysRoute, async ({ principal }) => ({
  keys: await listEmbedKeys(principal),
}));

export const revokeEmbedKeyHandler = endpoint(revokeEmbedKeyRoute, ({ principal, params }) =>
  revokeEmbedKey(principal, params.id),
);

export const updateEmbedKeyHandler = endpoint(updateEmbedKeyRoute, async ({ principal, params, body }) => {
  if (body.theme) requireValidTheme(body.theme);
  await requirePublicPersona(principal, body.persona_id);
  await requireVisitorTools(principal, body.tools);
  return updateEmbedKey(principal, params.id, body);
});
