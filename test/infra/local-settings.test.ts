import { afterEach, expect, it, vi } from "vitest";
import { routes } from "#shared/api/routes.ts";
import { divideSettings } from "../../infra/local-settings.ts";
import { synthesize } from "./synthesize.ts";

afterEach(() => vi.unstubAllEnvs());

const createTemplates = () => synthesize({ stage: "local", routes: routes.slice(0, 4), hasSite: true });

/** Returns the resources as JSON, and the environments of functions, which they do not contain. */
function separate(templates: ReturnType<typeof createTemplates>) {
  const resources = new Map<string, string>();
  const environments = new Map<string, Record<string, string>>();
  for (const [id, { Type, Properties }] of [...templates.values()].flatMap((stack) => Object.entries(stack ?? {}))) {
    const { Environment, ...others } = Properties ?? {};
    if (Environment) environments.set(id, Environment.Variables);
    // The names of nested templates are hashes of their contents, environments included.
    resources.set(id, JSON.stringify({ Type, others }).replaceAll(/[0-9a-f]{64}/g, "hash"));
  }
  return { resources, environments };
}

const model = { MODEL_PROVIDER: "openai-compatible", MODEL_BASE_URL: "http://127.0.0.1:9/v1", MODEL_API_KEY: "sk-1" };
const models = JSON.stringify({
  providers: { main: { type: "openai-compatible", base_url: "https://a.example", api_key: "sk-2" } },
  models: { large: { provider: "main", id: "large" } },
  tiers: { default: "large" },
});
const tokens = { AUTH_PROVIDER: "jwt", JWT_ISSUER: "https://a.example/", JWT_AUDIENCE: "a" };

it.each<[string, Record<string, string>, string[]]>([
  ["defaults", {}, []],
  ["limits", { RATE_LIMIT_TENANT: "5", EMBED_SESSION_SECONDS: "7" }, ["RATE_LIMIT_TENANT", "EMBED_SESSION_SECONDS"]],
  ["a model provider", model, Object.keys(model)],
  ["a table of models with keys", { MODELS: models }, ["MODELS"]],
  ["tokens", { ...tokens, JWT_JWKS_URL: "https://a.example/keys", JWT_USER_CLAIM: "uid" }, ["JWT_USER_CLAIM"]],
])("divideSettings() with %s gives functions the environment of a synthesis with all settings", (_, env, unset) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const expected = separate(createTemplates());
  const { synthesis, environmentOf } = divideSettings();
  const names = Object.keys(synthesis).filter((name) => synthesis[name] === undefined);
  expect(names.toSorted()).toEqual(unset.toSorted());
  for (const [name, value] of Object.entries(synthesis)) vi.stubEnv(name, value);
  const actual = separate(createTemplates());
  const differing = [...expected.resources].filter(([id, json]) => actual.resources.get(id) !== json);
  expect(differing.map(([id]) => id)).toEqual([]);
  expect(actual.environments.size).toBeGreaterThan(5);
  for (const variables of actual.environments.values()) {
    Object.assign(variables, environmentOf(Object.keys(variables)));
  }
  expect(Object.fromEntries(actual.environments)).toEqual(Object.fromEntries(expected.environments));
});

it.each([
  ["models of Bedrock", { MODEL_PROVIDER: "bedrock", MODEL_ID: "eu.amazon.nova-lite-v1:0" }],
  ["a guardrail of Bedrock", { GUARDRAIL_PROVIDER: "bedrock", GUARDRAIL_ID: "g1" }],
  ["a reference to a secret", { MODEL_API_KEY: "{{resolve:secretsmanager:model}}" }],
])("divideSettings() hides no setting from the synthesis with %s, which needs permissions", (_, env) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  expect(divideSettings().synthesis).toEqual({});
});

it("divideSettings() rejects an invalid setting", () => {
  vi.stubEnv("RATE_LIMIT_TENANT", "many");
  expect(() => divideSettings()).toThrow("RATE_LIMIT_TENANT: must be a positive integer");
});
