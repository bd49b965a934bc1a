import { deleteTemplate } from "#shared/api/templates.ts";
import * as templates from "#shared/data/template-store.ts";
import { checkTemplateChangeable } from "#shared/domain/template-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(deleteTemplate, async ({ principal, params, rights }) => {
  const template = await templates.getTemplate(principal, params.id);
  checkTemplateChangeable(template, principal.userId, (await rights()).roles.includes("admin"));
  await templates.deleteTemplate(principal, params.id);
});
