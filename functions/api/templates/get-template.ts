import { getTemplate } from "#shared/api/personas/templates.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import * as templates from "#shared/personas/template-store.ts";

export const handler = endpoint(getTemplate, ({ principal, params }) => templates.getTemplate(principal, params.id));
