import { updateTemplate } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeTemplateChange } from "#shared/personas/template-rules.ts";
import * as templates from "#shared/personas/template-store.ts";

export const handler = endpoint(updateTemplate, async ({ principal, params, body, rights }) => {
  const template = await templates.getTemplate(principal, params.id);
  authorizeTemplateChange(template, principal.userId, (await rights()).roles.includes("admin"));
  return templates.updateTemplate(principal, params.id, body);
});
