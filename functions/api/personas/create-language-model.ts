import { createLanguageModelRoute } from "#shared/api/personas/language-models.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { Reply } from "#shared/http/reply.ts";
import { newTenantModel } from "#shared/personas/tenant-models.ts";

export const handler = endpoint(createLanguageModelRoute, async ({ principal, body, commit }) => {
  const { model, write } = await newTenantModel(principal, body);
  return commit(new Reply(201, model, { location: "/v1/models" }), write);
});
