import { deleteLanguageModelRoute } from "#shared/api/personas/language-models.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { deleteTenantModel } from "#shared/personas/tenant-model-store.ts";

export const handler = endpoint(deleteLanguageModelRoute, ({ principal, params }) =>
  deleteTenantModel(principal, params.model),
);
