import {
  createTemplateRoute,
  deleteTemplateRoute,
  getTemplateRoute,
  listTemplatesRoute,
  renderTemplateRoute,
  searchTemplatesRoute,
  updateTemplateRoute,
} from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { rankTemplates } from "#shared/personas/rank-templates.ts";
import { authorizeTemplateChange, fillTemplate } from "#shared/personas/template-rules.ts";
import {
  deleteTemplate,
  getTemplate,
  listSearchableTemplates,
  listTemplates,
  newTemplate,
  newTemplateWrite,
  updateTemplate,
} from "#shared/personas/template-store.ts";

export const createTemplateHandler = endpoint(createTemplateRoute, async ({ principal, body, commit }) => {
  const template = newTemplate(principal.userId, body);
  return commit(template, newTemplateWrite(principal, template));
});

export const deleteTemplateHandler = endpoint(deleteTemplateRoute, async ({ principal, params, rights }) => {
  const template = await getTemplate(principal, params.id);
  authorizeTemplateChange(template, principal.userId, (await rights()).roles.includes("admin"));
  await deleteTemplate(principal, params.id);
});

export const getTemplateHandler = endpoint(getTemplateRoute, ({ principal, params }) =>
  getTemplate(principal, params.id),
);

export const listTemplatesHandler = endpoint(listTemplatesRoute, async ({ principal, query }) => {
  const page = await listTemplates(principal, query);
  return pageReply("templates", page, query.limit);
});

export const renderTemplateHandler = endpoint(renderTemplateRoute, async ({ principal, params, body }) => {
  const template = await getTemplate(principal, params.id);
  return { template_id: template.id, version: template.version, text: fillTemplate(template, body.variables) };
});

export const searchTemplatesHandler = endpoint(searchTemplatesRoute, async ({ principal, query: { q, limit } }) => ({
  query: q,
  templates: rankTemplates(await listSearchableTemplates(principal), q, limit),
  limit,
  next_cursor: null,
}));

export const updateTemplateHandler = endpoint(updateTemplateRoute, async ({ principal, params, body, rights }) => {
  const template = await getTemplate(principal, params.id);
  authorizeTemplateChange(template, principal.userId, (await rights()).roles.includes("admin"));
  return updateTemplate(principal, params.id, body);
});
