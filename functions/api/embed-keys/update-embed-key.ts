import { updateEmbedKeyRoute } from "#shared/api/tenancy/embed-keys.ts";
import { requireValidTheme } from "#shared/embed/theme.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { requirePublicPersona } from "#shared/personas/persona-store.ts";
import { updateEmbedKey } from "#shared/tenancy/embed-key-store.ts";

export const handler = endpoint(updateEmbedKeyRoute, async ({ principal, params, body }) => {
  if (body.theme) requireValidTheme(body.theme);
  await requirePublicPersona(principal, body.persona_id);
  return updateEmbedKey(principal, params.id, body);
});
