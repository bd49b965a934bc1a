import { updateTemplate } from "#shared/api/templates.ts";
import * as templates from "#shared/data/template-store.ts";
import { checkTemplateChangeable } from "#shared/domain/template-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateTemplate, async ({ principal, params, body, rights }) => {
  const template = await templates.getTemplate(principal, params.id);
  checkTemplateChangeable(template, principal.userId, (await rights()).roles.includes("admin"));
  return templates.updateTemplate(principal, params.id, body);
});
