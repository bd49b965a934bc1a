import { getInputs } from "../models/capabilities.ts";
import { modelIdFor } from "../models/model.ts";
import type { Endpoint } from "../personas/endpoint-store.ts";

/** Converts an endpoint to OpenAI's model schema. */
export function toModel({ slug, published_at, tier }: Endpoint) {
  return {
    id: slug,
    object: "model" as const,
    created: Math.floor(Date.parse(published_at) / 1_000),
    owned_by: "organization",
    capabilities: { input: ["text" as const, ...getInputs(modelIdFor(tier))] },
  };
}
