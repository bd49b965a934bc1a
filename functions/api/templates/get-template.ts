import { getTemplateRoute } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getTemplate } from "#shared/personas/template-store.ts";

export const handler = endpoint(getTemplateRoute, ({ principal, params }) => getTemplate(principal, params.id));
