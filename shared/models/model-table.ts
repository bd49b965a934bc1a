import type { Tier } from "../api/tiers.ts";
import { env, type SettingName } from "../lib/env.ts";
import { ServiceError } from "../lib/errors.ts";
import { loadSecret } from "../lib/secrets.ts";
import {
  type DatedPrice,
  type InputKind,
  type ModelTable,
  type ProviderType,
  parseModelTable,
  type UnknownFields,
} from "./model-settings.ts";

/** Configured provider: one of the setting `MODELS`, or the one of the `MODEL_*` variables. */
export interface Provider {
  /** Name in `MODELS`; null for the provider of the `MODEL_*` variables. */
  readonly name: string | null;
  readonly type: ProviderType;
  /** Base URL; empty for the default of the provider's type. */
  readonly baseUrl: string;
  /** Tenant's own API key at the provider, which replaces that of the deployment. */
  readonly tenantKey?: string | null;
}

/** Configured language model. */
export interface Model {
  /** Name in this service, under which usage is recorded. It can differ from the provider's id. */
  readonly name: string;
  /** Id of the model at its provider. */
  readonly id: string;
  readonly provider: Provider;
  /** Kinds of input that the model accepts in addition to text; null if they are not configured. */
  readonly inputs: readonly InputKind[] | null;
  readonly contextTokens: number | null;
  readonly firstTokenTimeoutMs: number | null;
  /**
   * Handling of request fields that this service does not know; `pass` has an effect only with OpenAI-compatible
   * providers.
   */
  readonly unknownFields: UnknownFields;
  /** True if reasoning between tags in front of an answer is reasoning in chats. */
  readonly reasoningTags: boolean;
  /** True if prompts get cache marks, which the gateway accepts. Not used for Bedrock, whose caching models are known. */
  readonly cachePoints: boolean;
  readonly prices: readonly DatedPrice[] | null;
  readonly fallback: readonly string[];
}

const parsedTables = new Map<string, ModelTable>();

/** Returns the value of `MODELS`; null if the `MODEL_*` variables configure a single provider instead. */
function findTable(): ModelTable | null {
  const { MODELS } = env("MODELS");
  if (MODELS === "") return null;
  let table = parsedTables.get(MODELS);
  if (!table) {
    table = parseModelTable(MODELS);
    parsedTables.set(MODELS, table);
  }
  return table;
}

const toProvider = (name: string, { type, base_url }: ModelTable["providers"][string]): Provider => ({
  name,
  type,
  baseUrl: base_url ?? "",
});

/** Returns the provider that the `MODEL_*` variables configure. */
function getOnlyProvider(): Provider {
  const { MODEL_PROVIDER, MODEL_BASE_URL } = env("MODEL_PROVIDER", "MODEL_BASE_URL");
  return { name: null, type: MODEL_PROVIDER as ProviderType, baseUrl: MODEL_BASE_URL };
}

/** Returns the setting with the API key of a provider. Only functions that use the resource `modelKeys` have it. */
export const getKeySetting = ({ name }: Provider): string =>
  name === null ? env("MODEL_API_KEY").MODEL_API_KEY : (findTable()?.providers[name]?.api_key ?? "");

/**
 * Returns the API key for requests to a provider. A tenant's own key is used as it is, and never resolved as the name of a
 * secret.
 */
export const loadProviderKey = async (provider: Provider): Promise<string> =>
  provider.tenantKey ?? (await loadSecret(getKeySetting(provider)));

/** Models of tenants that this process has loaded, by their internal name. */
const tenantModels = new Map<string, Model>();

/** Maximum number of tenants' models that a process holds; above it, all are dropped. */
const MAX_TENANT_MODELS = 5_000;

const TENANT_PREFIX = "tenant:";

export const isTenantModelName = (name: string): boolean => name.startsWith(TENANT_PREFIX);

/** Returns the internal name of a tenant's model, which is unique in the deployment. */
export const toTenantModelName = (tenantId: string, name: string): string => `${TENANT_PREFIX}${tenantId}/${name}`;

/** Registers a tenant's model in this process, or removes it if `model` is null. */
export function setTenantModel(name: string, model: Model | null): void {
  tenantModels.delete(name);
  if (tenantModels.size >= MAX_TENANT_MODELS) tenantModels.clear();
  if (model) tenantModels.set(name, model);
}

/** Returns the tenants' own API keys that this process holds, so that they can be removed from messages. */
export const listTenantKeys = (): string[] =>
  [...tenantModels.values()].flatMap(({ provider }) => provider.tenantKey ?? []);

/**
 * Finds a provider to which tenants can add models, by its name in `MODELS`, or `default` for that of the `MODEL_*`
 * variables; null if there is none.
 */
export function findOpenProvider(name: string): Provider | null {
  return listOpenProviders().find((provider) => (provider.name ?? "default") === name) ?? null;
}

/**
 * Returns the providers to which tenants can add models. Bedrock is not one, because functions have the right to call only
 * those of its models that the settings name.
 */
export const listOpenProviders = (): Provider[] => listProviders().filter(({ type }) => type !== "bedrock");

export function listProviders(): Provider[] {
  const table = findTable();
  if (!table) return [getOnlyProvider()];
  return Object.entries(table.providers).map(([name, provider]) => toProvider(name, provider));
}

/**
 * Finds a model of the deployment, or a tenant's model that is registered in this process, by name; null if there is none.
 * With the `MODEL_*` variables, any name counts as a model id of their provider.
 */
export function findModel(name: string): Model | null {
  if (isTenantModelName(name)) return tenantModels.get(name) ?? null;
  const table = findTable();
  if (!table) {
    const { MODEL_FALLBACK } = env("MODEL_FALLBACK");
    const fallback = MODEL_FALLBACK && MODEL_FALLBACK !== name ? [MODEL_FALLBACK] : [];
    const unknown = {
      inputs: null,
      contextTokens: null,
      firstTokenTimeoutMs: null,
      unknownFields: "refuse",
      reasoningTags: true,
      cachePoints: false,
      prices: null,
    } as const;
    return { name, id: name, provider: getOnlyProvider(), fallback, ...unknown };
  }
  const settings = table.models[name];
  const provider = settings && table.providers[settings.provider];
  if (!settings || !provider) return null;
  const { first_token_timeout_seconds: timeoutSeconds } = settings;
  return {
    name,
    id: settings.id ?? name,
    provider: toProvider(settings.provider, provider),
    inputs: settings.inputs ?? null,
    contextTokens: settings.context_tokens ?? null,
    firstTokenTimeoutMs: timeoutSeconds === undefined ? null : timeoutSeconds * 1_000,
    unknownFields: settings.unknown_fields,
    reasoningTags: settings.reasoning_tags,
    cachePoints: settings.cache_points,
    prices: settings.prices ?? null,
    fallback: settings.fallback.filter((other) => other !== name),
  };
}

/**
 * Returns the model with a name.
 * @throws ServiceError `model_error` if it is no longer configured
 */
export function getModel(name: string): Model {
  const model = findModel(name);
  if (!model) throw new ServiceError("model_error", "The language model is no longer configured.");
  return model;
}

/** Models of a tier, by name, with their weights. */
type WeightedNames = readonly { readonly model: string; readonly weight: number }[];

/** Name of each tier's setting. The names are written out, so that the bundler finds them in the code. */
const tierSettings = {
  QUICK: "MODEL_ID_QUICK",
  THINKING: "MODEL_ID_THINKING",
  RESEARCH: "MODEL_ID_RESEARCH",
  THOUGHT_PARTNER: "MODEL_ID_THOUGHT_PARTNER",
} as const satisfies Record<Tier, SettingName>;

/** Returns the models that share the requests of a tier. */
function getTierModels(tier: Tier): WeightedNames {
  const table = findTable();
  if (table) {
    const choices = table.tiers[tier] ?? table.tiers.default;
    return typeof choices === "string" ? [{ model: choices, weight: 1 }] : choices;
  }
  const { MODEL_ID } = env("MODEL_ID");
  const setting = tierSettings[tier];
  const tierModel = env(setting)[setting];
  return [{ model: tierModel || MODEL_ID || "default", weight: 1 }];
}

/**
 * Returns the model of a tier, or one of several at random by weight.
 * @param random number from 0 to below 1
 */
export function selectTierModel(tier: Tier, random = Math.random()): string {
  const choices = getTierModels(tier).filter(({ weight }) => weight > 0);
  let rest = random * choices.reduce((sum, { weight }) => sum + weight, 0);
  for (const { model, weight } of choices) {
    rest -= weight;
    if (rest < 0) return model;
  }
  return choices.at(-1)?.model ?? "default";
}

/** Returns the tiers whose requests a model can get. */
export const tiersOf = (name: string): Tier[] =>
  (Object.keys(tierSettings) as Tier[]).filter((tier) =>
    getTierModels(tier).some(({ model, weight }) => model === name && weight > 0),
  );

/** Returns the names of all models of the deployment, from which personas can choose. */
export function listModelNames(): string[] {
  const table = findTable();
  if (table) return Object.keys(table.models);
  const { MODEL_FALLBACK } = env("MODEL_FALLBACK");
  const tierModels = (["QUICK", "THINKING", "RESEARCH", "THOUGHT_PARTNER"] as const).flatMap(getTierModels);
  return [...new Set([...tierModels.map(({ model }) => model), MODEL_FALLBACK].filter(Boolean))];
}
