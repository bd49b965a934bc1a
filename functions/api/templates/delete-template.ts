import { deleteTemplateRoute } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeTemplateChange } from "#shared/personas/template-rules.ts";
import { deleteTemplate, getTemplate } from "#shared/personas/template-store.ts";

export const handler = endpoint(deleteTemplateRoute, async ({ principal, params, rights }) => {
  const template = await getTemplate(principal, params.id);
  authorizeTemplateChange(template, principal.userId, (await rights()).roles.includes("admin"));
  await deleteTemplate(principal, params.id);
});
