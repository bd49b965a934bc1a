import { createTemplateRoute } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { newTemplate, newTemplateWrite } from "#shared/personas/template-store.ts";

export const handler = endpoint(createTemplateRoute, async ({ principal, body, commit }) => {
  const template = newTemplate(principal.userId, body);
  return commit(template, newTemplateWrite(principal, template));
});
