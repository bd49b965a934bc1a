import {
  createLanguageModelRoute,
  deleteLanguageModelRoute,
  listLanguageModelsRoute,
  updateLanguageModelRoute,
} from "#shared/api/personas/language-models.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { describeModels } from "#shared/personas/describe-models.ts";
import { getPersonaViewer } from "#shared/personas/persona-store.ts";
import { deleteTenantModel, listTenantModels } from "#shared/personas/tenant-model-store.ts";
import { changeTenantModel, newTenantModel } from "#shared/personas/tenant-models.ts";

export const createLanguageModelHandler = endpoint(createLanguageModelRoute, async ({ principal, body, commit }) => {
  const { model, write } = await newTenantModel(principal, body);
  return commit(new Reply(201, model, { location: "/v1/models" }), write);
});

export const deleteLanguageModelHandler = endpoint(deleteLanguageModelRoute, ({ principal, params }) =>
  deleteTenantModel(principal, params.model),
);

export const listLanguageModelsHandler = endpoint(listLanguageModelsRoute, async ({ principal }) => {
  const [viewer, own, policy] = await Promise.all([
    getPersonaViewer(principal),
    listTenantModels(principal),
    getCurrentPolicy(principal),
  ]);
  return { models: describeModels(own, viewer, policy.models.choices) };
});

export const updateLanguageModelHandler = endpoint(updateLanguageModelRoute, ({ principal, params, body }) =>
  changeTenantModel(principal, params.model, body),
);
