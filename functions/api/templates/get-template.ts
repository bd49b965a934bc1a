import { getTemplate } from "#shared/api/templates.ts";
import * as templates from "#shared/data/template-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getTemplate, ({ principal, params }) => templates.getTemplate(principal, params.id));
