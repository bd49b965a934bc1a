import { updateLanguageModelRoute } from "#shared/api/personas/language-models.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { changeTenantModel } from "#shared/personas/tenant-models.ts";

export const handler = endpoint(updateLanguageModelRoute, ({ principal, params, body }) =>
  changeTenantModel(principal, params.model, body),
);
