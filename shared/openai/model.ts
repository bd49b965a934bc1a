import type { Endpoint } from "../personas/endpoint-store.ts";

/** An endpoint as OpenAI describes a model. */
export function modelOf({ slug, published_at }: Endpoint) {
  return {
    id: slug,
    object: "model" as const,
    created: Math.floor(Date.parse(published_at) / 1_000),
    owned_by: "organization",
  };
}
