import { getInputs } from "../models/capabilities.ts";
import { selectModel } from "../models/model.ts";
import { getModel } from "../models/model-table.ts";
import type { Endpoint } from "../personas/endpoint-store.ts";

/** Converts an endpoint to OpenAI's model schema. */
export function toModel({ slug, published_at, ...preference }: Endpoint) {
  const name = selectModel(preference);
  return {
    id: slug,
    object: "model" as const,
    created: Math.floor(Date.parse(published_at) / 1_000),
    owned_by: "organization",
    capabilities: { input: ["text" as const, ...getInputs(name)], context_window: getModel(name).contextTokens },
  };
}
