import { renderTemplate } from "#shared/api/templates.ts";
import { getTemplate } from "#shared/data/template-store.ts";
import { render } from "#shared/domain/template-rules.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(renderTemplate, async ({ principal, params, body }) => {
  const template = await getTemplate(principal, params.id);
  return { template_id: template.id, version: template.version, text: render(template, body.variables) };
});
