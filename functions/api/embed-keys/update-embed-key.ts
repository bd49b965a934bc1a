import { updateEmbedKey } from "#shared/api/embed-keys.ts";
import * as embedKeys from "#shared/data/embed-key-store.ts";
import { checkPersonaOfSite } from "#shared/data/persona-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateEmbedKey, async ({ principal, params, body }) => {
  await checkPersonaOfSite(principal, body.persona_id);
  return embedKeys.updateEmbedKey(principal, params.id, body);
});
