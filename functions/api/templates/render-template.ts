import { renderTemplateRoute } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { fillTemplate } from "#shared/personas/template-rules.ts";
import { getTemplate } from "#shared/personas/template-store.ts";

export const handler = endpoint(renderTemplateRoute, async ({ principal, params, body }) => {
  const template = await getTemplate(principal, params.id);
  return { template_id: template.id, version: template.version, text: fillTemplate(template, body.variables) };
});
