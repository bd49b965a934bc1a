import * as v from "valibot";

/** Kinds of input that models can accept in addition to text. */
export const inputKinds = ["image", "audio", "file"] as const;
export type InputKind = (typeof inputKinds)[number];

/**
 * Options for request fields that this service does not know, because some servers extend OpenAI's API: pass them to the
 * provider, drop them, or refuse the request.
 */
const unknownFieldHandlings = ["pass", "drop", "refuse"] as const;
export type UnknownFields = (typeof unknownFieldHandlings)[number];

/** Properties of a model on which a request to it depends. */
export interface RequestTraits {
  /** Handling of fields that this service does not know. */
  readonly unknownFields?: UnknownFields;
  /** True if the prompt can mark where the provider's cache may end. */
  readonly hasCachePoints?: boolean;
}

const Name = v.pipe(v.string(), v.minLength(1, "must not be empty"), v.maxLength(200));
const Dollars = v.pipe(v.number(), v.minValue(0, "must not be negative"));
const positive = v.pipe(v.number(), v.minValue(1, "must be at least 1"));

const Price = v.strictObject({
  /** First day (UTC) on which the price applies. */
  from: v.optional(v.pipe(v.string(), v.isoDate("must be a date such as 2026-01-31")), "1970-01-01"),
  input: Dollars,
  /** Prices of input tokens that the provider reads from and writes to its cache; that of `input` by default. */
  cached: v.optional(Dollars),
  cached_write: v.optional(Dollars),
  output: Dollars,
});
/** Prices in US dollars per million tokens, from a date on. */
export type DatedPrice = v.InferOutput<typeof Price>;

const ProviderSettings = v.strictObject({
  type: v.picklist(["openai-compatible", "bedrock"]),
  base_url: v.optional(v.pipe(v.string(), v.url("must be a URL"))),
  api_key: v.optional(v.string(), ""),
});

const ModelSettings = v.strictObject({
  provider: Name,
  /** Id of the model at its provider; its name by default. */
  id: v.optional(Name),
  inputs: v.optional(v.array(v.picklist(inputKinds))),
  context_tokens: v.optional(positive),
  /**
   * Maximum time until the first token, at most 840 seconds, because one of the function's 15 minutes is left for the answer.
   * Comments keep the stream open until then.
   */
  first_token_timeout_seconds: v.optional(v.pipe(positive, v.maxValue(840, "must be at most 840"))),
  /** Handling of request fields that this service does not know: passed on, dropped or refused. */
  unknown_fields: v.optional(v.picklist(unknownFieldHandlings), "refuse"),
  /** True if reasoning between tags such as `<think>` in front of an answer is reasoning in chats, false if it is text. */
  reasoning_tags: v.optional(v.boolean(), true),
  /** True if the model caches prompts up to explicit marks, as Claude does, and its gateway accepts `cache_control`. */
  cache_points: v.optional(v.boolean(), false),
  prices: v.optional(v.array(Price)),
  /** Names of models that are called in this order if the model fails before its first token. */
  fallback: v.optional(v.array(Name), []),
});

const Choices = v.union(
  [
    Name,
    v.pipe(
      v.array(v.strictObject({ model: Name, weight: v.optional(Dollars, 1) })),
      v.check((choices) => choices.some(({ weight }) => weight > 0), "must have a model with a positive weight"),
    ),
  ],
  "must be the name of a model or a list of models with weights",
);

const ModelTable = v.pipe(
  v.strictObject({
    providers: v.record(Name, ProviderSettings),
    models: v.record(Name, ModelSettings),
    /**
     * Model of each tier, or several models that share its requests by weight. `default` applies to tiers that are not
     * listed.
     */
    tiers: v.strictObject({
      default: Choices,
      QUICK: v.optional(Choices),
      THINKING: v.optional(Choices),
      RESEARCH: v.optional(Choices),
      THOUGHT_PARTNER: v.optional(Choices),
    }),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { providers, models, tiers } = dataset.value;
    const require = (kind: string, known: object, name: string, user: string) => {
      if (!Object.hasOwn(known, name)) addIssue({ message: `${user} names the unknown ${kind} ${name}` });
    };
    for (const [name, { type, base_url }] of Object.entries(providers)) {
      if (type === "openai-compatible" && !base_url) addIssue({ message: `providers.${name} requires base_url` });
    }
    for (const [name, { provider, fallback }] of Object.entries(models)) {
      require("provider", providers, provider, `models.${name}`);
      for (const other of fallback) require("model", models, other, `models.${name}.fallback`);
    }
    for (const [tier, choices] of Object.entries(tiers)) {
      const names = typeof choices === "string" ? [choices] : (choices ?? []).map(({ model }) => model);
      for (const name of names) require("model", models, name, `tiers.${tier}`);
    }
  }),
);
/** Value of the setting `MODELS`. */
export type ModelTable = v.InferOutput<typeof ModelTable>;

/** Type of a provider's API. */
export type ProviderType = v.InferOutput<typeof ProviderSettings>["type"];

/**
 * Parses the setting `MODELS`.
 * @throws Error that names the first invalid value
 */
export function parseModelTable(json: string): ModelTable {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error("MODELS must be JSON");
  }
  const parsed = v.safeParse(ModelTable, value);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Error(`MODELS: ${[v.getDotPath(issue), issue.message].filter(Boolean).join(": ")}`);
}
