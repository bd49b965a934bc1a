import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, Integer, Timestamp } from "../fields.ts";
import { Tier } from "../tiers.ts";

export const MAX_TENANT_MODELS = 50;

const Name = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9][\w.-]{0,62}$/, "must have at most 63 letters, digits, _, . and -, the first a letter or digit"),
);
const Inputs = v.array(v.picklist(["image", "audio", "file"]));
const Dollars = v.pipe(v.number(), v.minValue(0, "must not be negative"), v.maxValue(100_000));

const Price = v.strictObject({
  input: Dollars,
  cached: v.optional(Dollars),
  output: Dollars,
});

const ContextTokens = v.pipe(Integer, v.minValue(1_000), v.maxValue(100_000_000));

const UnknownFields = v.picklist(["pass", "drop", "refuse"]);

export const TenantModel = v.object({
  name: v.string(),
  provider: describe(v.string(), "A provider of the deployment, other than Bedrock."),
  model_id: describe(v.string(), "The id of the model at its provider."),
  inputs: describe(v.nullable(Inputs), "The inputs in addition to text. Null for those known by the id."),
  context_tokens: v.nullable(Integer),
  price: describe(
    v.nullable(Price),
    "US dollars per million tokens; `cached` for those that the provider reads from its cache.",
  ),
  first_token_timeout_seconds: describe(
    v.nullable(Integer),
    "Time for the first token of a streamed answer. Null for that of the deployment.",
  ),
  unknown_fields: describe(
    UnknownFields,
    "Handling of fields in requests of `/openai/v1/chat/completions` that this service does not know, such as those of Ollama, OpenRouter, Mistral and vLLM.",
  ),
  reasoning_tags: describe(
    v.boolean(),
    "True if chats show text between tags such as `<think>` in front of an answer as reasoning, false if it is part of the answer.",
  ),
  group_ids: describe(
    v.array(Id),
    "Groups whose members may use personas with the model, in addition to administrators. Empty for all.",
  ),
  has_key: describe(v.boolean(), "True if requests have a key of the tenant, which no response contains."),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type TenantModel = v.InferOutput<typeof TenantModel>;

/** Language model of the deployment or of the tenant, as the caller sees it. */
const LanguageModel = v.object({
  name: v.string(),
  source: describe(
    v.picklist(["deployment", "tenant"]),
    "`deployment` for a model of the settings, `tenant` for one that the tenant added.",
  ),
  provider: v.nullable(v.string()),
  model_id: v.string(),
  inputs: Inputs,
  context_tokens: Integer,
  price: describe(v.nullable(Price), "US dollars per million tokens today. Null if it is not known."),
  tiers: describe(v.array(Tier), "The tiers that the model answers, alone or with others."),
  first_token_timeout_seconds: v.nullable(Integer),
  unknown_fields: UnknownFields,
  reasoning_tags: v.boolean(),
  group_ids: v.array(Id),
  usable: describe(v.boolean(), "True if the caller may use personas with the model."),
  has_key: v.boolean(),
  choices: describe(
    v.nullable(v.array(v.object({ group_ids: v.array(Id), persona_ids: v.array(Id) }))),
    "Rules of the policy for the choice of the model: members of the groups may choose it in conversations with the personas, where empty lists stand for all. Null if the policy restricts no choice.",
  ),
  choosable_with: describe(
    v.nullable(v.array(Id)),
    "Personas in whose conversations the caller may choose the model. Null for all conversations, empty if the caller may not choose it.",
  ),
});
export type LanguageModel = v.InferOutput<typeof LanguageModel>;

const route = routeGroup({ group: "personas", auth: "jwt" });
const adminRoute = routeGroup({ group: "personas", auth: "jwt", capability: "models.manage" });

const fields = {
  provider: v.string(),
  model_id: v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(200)),
  inputs: v.nullable(Inputs),
  context_tokens: v.nullable(ContextTokens),
  price: v.nullable(Price),
  first_token_timeout_seconds: v.nullable(v.pipe(Integer, v.minValue(1), v.maxValue(840, "must be at most 840"))),
  unknown_fields: UnknownFields,
  reasoning_tags: v.boolean(),
  group_ids: v.pipe(v.array(Id), v.maxLength(20, "must have at most 20 groups")),
  api_key: v.nullable(
    v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,500}$/, "must have at most 500 characters without spaces")),
  ),
};

const NewModel = v.strictObject({
  name: Name,
  provider: v.optional(fields.provider),
  model_id: fields.model_id,
  inputs: v.optional(fields.inputs, null),
  context_tokens: v.optional(fields.context_tokens, null),
  price: v.optional(fields.price, null),
  first_token_timeout_seconds: v.optional(fields.first_token_timeout_seconds, null),
  unknown_fields: v.optional(fields.unknown_fields, "refuse"),
  reasoning_tags: v.optional(fields.reasoning_tags, true),
  group_ids: v.optional(fields.group_ids, []),
  api_key: v.optional(fields.api_key, null),
});
export type NewModel = v.InferOutput<typeof NewModel>;

const ModelChanges = v.partial(v.strictObject(fields));
export type ModelChanges = v.InferOutput<typeof ModelChanges>;

const ModelParams = v.object({ model: v.pipe(v.string(), v.maxLength(63)) });

export const listLanguageModelsRoute = route("GET /v1/models", {
  id: "listLanguageModels",
  replies: { 200: v.object({ models: v.array(LanguageModel) }) },
  summary: "List language models",
  description:
    "Returns the models that a persona can name, with prices and abilities: those of the deployment's settings, then those that the tenant added. `usable` and `choosable_with` say what the caller may do with each.",
});

export const createLanguageModelRoute = adminRoute("POST /v1/models", {
  id: "createLanguageModel",
  body: NewModel,
  replies: { 201: TenantModel },
  errors: ["conflict"],
  summary: "Add a language model",
  description: `Adds a model of a provider of the deployment (OpenAI-compatible), without a new deployment. \`provider\` can be left out if there is one only. \`api_key\` is the tenant's own key at the provider; it is stored encrypted, and no response contains it. Without one, requests have the key of the deployment, and the operator pays. \`unknown_fields\` can be \`pass\` only with it, because passed fields can select another model at a gateway. A name that exists gets 409. A tenant adds at most ${MAX_TENANT_MODELS} models. Changes take effect within 15 seconds.`,
});

export const updateLanguageModelRoute = adminRoute("PATCH /v1/models/{model}", {
  id: "updateLanguageModel",
  params: ModelParams,
  body: ModelChanges,
  replies: { 200: TenantModel },
  summary: "Change a language model",
  description: "Changes a model that the tenant added. `api_key` replaces its key; null removes it.",
});

export const deleteLanguageModelRoute = adminRoute("DELETE /v1/models/{model}", {
  id: "deleteLanguageModel",
  params: ModelParams,
  summary: "Delete a language model",
  description: "Personas that name the model use that of their tier from then on.",
});
