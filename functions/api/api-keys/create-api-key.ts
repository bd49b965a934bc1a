import { createApiKey } from "#shared/api/api-keys.ts";
import { appSecret } from "#shared/auth/app-secret.ts";
import { now, timestamp } from "#shared/clock.ts";
import { apiKeyWrites } from "#shared/data/api-key-store.ts";
import { credentialHash, keyPrefix, keyText } from "#shared/domain/credentials.ts";
import { inFuture } from "#shared/domain/in-future.ts";
import { secretEndpoint } from "#shared/http/endpoint.ts";
import { newId } from "#shared/ids.ts";

export const handler = secretEndpoint(
  createApiKey,
  async ({ principal, tenant, body, commit }) => {
    inFuture("expires_at", body.expires_at, now());
    const key = {
      id: newId(),
      key_prefix: keyPrefix("api-key", tenant.slug),
      ...body,
      is_revoked: false,
      created_at: timestamp(),
      last_used_at: null,
    };
    const text = keyText("api-key", appSecret(), { id: key.id, slug: tenant.slug });
    return commit(key, ...apiKeyWrites(principal, key, credentialHash(text)));
  },
  (key, { slug }) => ({ ...key, key: keyText("api-key", appSecret(), { id: key.id, slug }) }),
);
