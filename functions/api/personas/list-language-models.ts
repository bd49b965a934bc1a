import { listLanguageModels } from "#shared/api/personas/language-models.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { describeModels } from "#shared/personas/describe-models.ts";
import { getPersonaViewer } from "#shared/personas/persona-store.ts";
import { listTenantModels } from "#shared/personas/tenant-model-store.ts";

export const handler = endpoint(listLanguageModels, async ({ principal }) => {
  const [viewer, own] = await Promise.all([getPersonaViewer(principal), listTenantModels(principal)]);
  return { models: describeModels(own, viewer) };
});
