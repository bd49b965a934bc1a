import { updateTemplateRoute } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeTemplateChange } from "#shared/personas/template-rules.ts";
import { getTemplate, updateTemplate } from "#shared/personas/template-store.ts";

export const handler = endpoint(updateTemplateRoute, async ({ principal, params, body, rights }) => {
  const template = await getTemplate(principal, params.id);
  authorizeTemplateChange(template, principal.userId, (await rights()).roles.includes("admin"));
  return updateTemplate(principal, params.id, body);
});
