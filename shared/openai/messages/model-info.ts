import type { toModel } from "../model.ts";

type Model = Awaited<ReturnType<typeof toModel>>;

/** Converts a model to Anthropic's schema. */
export const toModelInfo = ({ id, created, capabilities: { context_window } }: Model) => ({
  type: "model" as const,
  id,
  display_name: id,
  created_at: new Date(created * 1_000).toISOString(),
  max_input_tokens: context_window,
});

/** Converts models to Anthropic's list, which has a single page. */
export const toModelPage = (models: readonly Model[]) => ({
  data: models.map(toModelInfo),
  first_id: models[0]?.id ?? null,
  last_id: models.at(-1)?.id ?? null,
  has_more: false,
});
