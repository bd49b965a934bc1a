import type { LanguageModel } from "../api/personas/language-models.ts";
import { contextTokensOf, inputsOf } from "../models/capabilities.ts";
import { findOpenProvider, getModel, listModelNames, type Model, tiersOf } from "../models/model-table.ts";
import { priceOf } from "../models/prices.ts";
import { findChoosablePersonas, type ModelChoices, mayUseModel, type PersonaViewer } from "./persona-rules.ts";
import { type StoredModel, toModelProperties } from "./tenant-model-store.ts";

function describe(
  model: Pick<
    Model,
    "id" | "inputs" | "contextTokens" | "prices" | "firstTokenTimeoutMs" | "unknownFields" | "reasoningTags"
  >,
) {
  const price = priceOf(model);
  return {
    model_id: model.id,
    inputs: [...inputsOf(model)],
    context_tokens: contextTokensOf(model),
    first_token_timeout_seconds: model.firstTokenTimeoutMs === null ? null : model.firstTokenTimeoutMs / 1_000,
    unknown_fields: model.unknownFields,
    reasoning_tags: model.reasoningTags,
    price: price && { input: price.input, cached: price.cached, output: price.output },
  };
}

/** Lists the models of the deployment and of the tenant, with a mark for those that the user may use. */
export function describeModels(
  own: readonly StoredModel[],
  viewer: PersonaViewer,
  choices: ModelChoices,
): LanguageModel[] {
  const describeChoice = (name: string) => ({
    choices:
      choices
        ?.filter(({ model }) => model === name)
        .map(({ group_ids, persona_ids }) => ({ group_ids, persona_ids })) ?? null,
    choosable_with: findChoosablePersonas(choices, name, viewer)?.slice() ?? null,
  });
  const ofDeployment = listModelNames().map((name): LanguageModel => {
    const model = getModel(name);
    const { provider } = model;
    return {
      ...{ name, source: "deployment", provider: provider.name, ...describe(model) },
      ...{ tiers: tiersOf(name), group_ids: [], usable: true, has_key: false, ...describeChoice(name) },
    };
  });
  const ofTenant = own.map((stored): LanguageModel => {
    const { name, provider, group_ids, sealed_key } = stored;
    const usable = findOpenProvider(provider) !== null && mayUseModel(group_ids, viewer);
    return {
      ...{ name, source: "tenant", provider, ...describe(toModelProperties(stored)) },
      ...{ tiers: [], group_ids, usable, has_key: sealed_key !== null, ...describeChoice(name) },
    };
  });
  return [...ofDeployment, ...ofTenant];
}
