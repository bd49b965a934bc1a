import { getModel } from "#shared/api/openai.ts";
import { endpointFor } from "#shared/chat/openai/complete.ts";
import { modelOf } from "#shared/chat/openai/model.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(getModel, async ({ principal, params }) =>
  modelOf(await endpointFor(principal, params.id)),
);
