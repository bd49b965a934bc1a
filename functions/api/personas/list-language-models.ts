import { listLanguageModelsRoute } from "#shared/api/personas/language-models.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { describeModels } from "#shared/personas/describe-models.ts";
import { getPersonaViewer } from "#shared/personas/persona-store.ts";
import { listTenantModels } from "#shared/personas/tenant-model-store.ts";

export const handler = endpoint(listLanguageModelsRoute, async ({ principal }) => {
  const [viewer, own, policy] = await Promise.all([
    getPersonaViewer(principal),
    listTenantModels(principal),
    getCurrentPolicy(principal),
  ]);
  return { models: describeModels(own, viewer, policy.models.choices) };
});
