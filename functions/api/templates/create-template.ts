import { createTemplate } from "#shared/api/templates.ts";
import { newTemplate, newTemplateWrite } from "#shared/data/template-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(createTemplate, async ({ principal, body, commit }) => {
  const template = newTemplate(principal.userId, body);
  return commit(template, newTemplateWrite(principal, template));
});
