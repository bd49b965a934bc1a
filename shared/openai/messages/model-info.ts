import type { Endpoint } from "../../personas/endpoint-store.ts";
import type { toModel } from "../model.ts";

type Model = Awaited<ReturnType<typeof toModel>>;

/** Converts a model to Anthropic's model object, with the persona's name as display name. */
export const toModelInfo = (
  { id, created, capabilities: { context_window } }: Model,
  { name }: Pick<Endpoint, "name">,
) => ({
  type: "model" as const,
  id,
  display_name: name,
  created_at: new Date(created * 1_000).toISOString(),
  max_input_tokens: context_window,
});

/**
 * Converts models to Anthropic's list with a single page.
 * @param endpoints endpoints of the models, in the same order
 */
export const toModelPage = (models: readonly Model[], endpoints: readonly Pick<Endpoint, "name">[]) => ({
  data: models.map((model, index) => toModelInfo(model, endpoints[index] ?? { name: model.id })),
  first_id: models[0]?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
  has_more: false,
});
