import { createApiKey } from "#shared/api/tenancy/api-keys.ts";
import { appSecret } from "#shared/auth/app-secret.ts";
import { deriveKey, hashCredential, keyPrefix } from "#shared/auth/credentials.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { assertFutureDate } from "#shared/lib/assert-future-date.ts";
import { now, timestamp } from "#shared/lib/clock.ts";
import { newId } from "#shared/lib/ids.ts";
import { newApiKeyWrites, toKeyHint } from "#shared/tenancy/api-key-store.ts";

export const handler = secretEndpoint(
  createApiKey,
  async ({ principal, tenant, body, commit }) => {
    assertFutureDate("expires_at", body.expires_at, now());
    const key = {
      id: newId(),
      key_prefix: keyPrefix("api-key", tenant.slug),
      ...body,
      is_revoked: false,
      created_at: timestamp(),
      last_used_at: null,
    };
    const text = deriveKey("api-key", appSecret(), { id: key.id, slug: tenant.slug });
    return commit(key, ...newApiKeyWrites(principal, key, hashCredential(text)));
  },
  (stored, { slug }) => {
    const key = deriveKey("api-key", appSecret(), { id: stored.id, slug });
    return { ...stored, key_hint: toKeyHint(key), key };
  },
);
