import { createEmbedKey } from "#shared/api/tenancy/embed-keys.ts";
import { appSecret } from "#shared/auth/app-secret.ts";
import { deriveKey, hashCredential, keyPrefix } from "#shared/auth/credentials.ts";
import { requireValidTheme } from "#shared/embed/theme.ts";
import { deriveVisitorSecret } from "#shared/embed/visitor-ids.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";
import { requirePublicPersona } from "#shared/personas/persona-store.ts";
import { newEmbedKeyWrites } from "#shared/tenancy/embed-key-store.ts";

export const handler = secretEndpoint(
  createEmbedKey,
  async ({ principal, tenant, body, commit }) => {
    requireValidTheme(body.theme);
    await requirePublicPersona(principal, body.persona_id);
    const key = {
      id: newId(),
      key_prefix: keyPrefix("embed-key", tenant.slug),
      ...body,
      is_revoked: false,
      created_at: timestamp(),
      last_used_at: null,
    };
    const text = deriveKey("embed-key", appSecret(), { id: key.id, slug: tenant.slug });
    return commit(key, ...newEmbedKeyWrites(principal, key, hashCredential(text)));
  },
  (key, { slug, tenant_id }) => ({
    ...key,
    key: deriveKey("embed-key", appSecret(), { id: key.id, slug }),
    visitor_secret: deriveVisitorSecret(appSecret(), { tenantId: tenant_id, keyId: key.id }),
  }),
);
