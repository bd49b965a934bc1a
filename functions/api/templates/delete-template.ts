import { deleteTemplate } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeTemplateChange } from "#shared/personas/template-rules.ts";
import * as templates from "#shared/personas/template-store.ts";

export const handler = endpoint(deleteTemplate, async ({ principal, params, rights }) => {
  const template = await templates.getTemplate(principal, params.id);
  authorizeTemplateChange(template, principal.userId, (await rights()).roles.includes("admin"));
  await templates.deleteTemplate(principal, params.id);
});
