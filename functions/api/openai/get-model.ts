import { getModel } from "#shared/api/openai/openai.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getEndpoint } from "#shared/openai/complete.ts";
import { toModel } from "#shared/openai/model.ts";

export const handler = endpoint(getModel, async ({ principal, params }) =>
  toModel(await getEndpoint(principal, params.id)),
);
