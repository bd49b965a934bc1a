import type { Uses } from "../../functions/uses.ts";
import type { VariableName } from "../../shared/lib/env.ts";
import { resources } from "../../shared/lib/resources.ts";
import { parseModelTable } from "../../shared/models/model-settings.ts";
import type { Config } from "../config.ts";

/** Returns the setting `MODELS` without the API keys of its providers, for functions that call no model. */
function withoutModelKeys(json: string): string {
  if (json === "") return "";
  const table = parseModelTable(json);
  const providers = Object.entries(table.providers).map(([name, { api_key: _, ...provider }]) => [name, provider]);
  return JSON.stringify({ ...table, providers: Object.fromEntries(providers) });
}

/** Dynamic reference of CloudFormation to the current version of a secret: its name or ARN, and a field of its JSON. */
const dynamicReference =
  /\{\{resolve:secretsmanager:((?:(?!:SecretString)[^{}])+)(?::SecretString(?::([^:{}]*))?:{0,2})?\}\}/g;

/**
 * Returns a setting whose references to secrets functions resolve at run time (`shared/lib/secrets.ts`) instead of
 * CloudFormation, so that a key can be rotated without a deployment.
 */
const resolvedAtRunTime = (setting: string) =>
  setting.replace(dynamicReference, (_, id: string, field?: string) => `secret:${id}${field ? `#${field}` : ""}`);

/** Returns names or ARNs of the secrets that an environment names. */
export const secretsIn = (environment: Readonly<Record<string, string>>): string[] => [
  ...new Set(
    Object.values(environment).flatMap((value) => [...value.matchAll(/\bsecret:([^#"]+)/g)].map(([, id]) => id ?? "")),
  ),
];

export const variablesOf = (uses: Uses): readonly VariableName[] =>
  uses.flatMap((use): readonly VariableName[] => (typeof use === "string" ? resources[use] : []));

/** Returns the settings of the local user that no deployment with tokens of an identity provider reads. */
const unusedUserSettings = ({ AUTH_PROVIDER }: Readonly<Record<string, string>>): readonly string[] =>
  AUTH_PROVIDER === "local" ? [] : ["DEV_TENANT_ID", "DEV_USER_ID", "DEV_USER_ROLES"];

/**
 * Returns the environment variables of a function: those of all that it uses, so that no function has the secrets of another.
 * @param variables names of environment variables
 */
export function functionEnvironment(
  settings: Config["settings"],
  provided: Readonly<Record<string, string>>,
  variables: readonly string[],
): Record<string, string> {
  const configured: Record<string, string> = Object.assign({}, ...Object.values(settings));
  const resolved = Object.entries(configured).map(([name, value]) => [name, resolvedAtRunTime(value)] as const);
  const available: Record<string, string> = { ...Object.fromEntries(resolved), ...provided };
  const names = new Set(variables);
  if (!names.has("MODEL_API_KEY")) available.MODELS = withoutModelKeys(available.MODELS ?? "");
  for (const name of unusedUserSettings(available)) names.delete(name);
  return Object.fromEntries(Object.entries(available).filter(([name]) => names.has(name)));
}
