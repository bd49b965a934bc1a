import { parseModelTable } from "../../shared/models/model-settings.ts";
import type { Config } from "../config.ts";

/** Returns the setting `MODELS` without the API keys of its providers, for functions that call no model. */
function withoutModelKeys(json: string): string {
  if (json === "") return "";
  const table = parseModelTable(json);
  const providers = Object.entries(table.providers).map(([name, { api_key: _, ...provider }]) => [name, provider]);
  return JSON.stringify({ ...table, providers: Object.fromEntries(providers) });
}

/**
 * CloudFormation's dynamic reference to the current version of a secret, by name or ARN, optionally with a field of its JSON.
 */
const dynamicReference =
  /\{\{resolve:secretsmanager:((?:(?!:SecretString)[^{}])+)(?::SecretString(?::([^:{}]*))?:{0,2})?\}\}/g;

/**
 * Replaces CloudFormation's references to secrets in a setting by references that functions resolve at run time
 * (`shared/lib/secrets.ts`). A key can then be rotated without a deployment.
 */
const resolvedAtRunTime = (setting: string) =>
  setting.replace(dynamicReference, (_, id: string, field?: string) => `secret:${id}${field ? `#${field}` : ""}`);

/** Returns the names or ARNs of all secrets that environment variables refer to. */
export const secretsIn = (environment: Readonly<Record<string, string>>): string[] => [
  ...new Set(
    Object.values(environment).flatMap((value) => [...value.matchAll(/\bsecret:([^#"]+)/g)].map(([, id]) => id ?? "")),
  ),
];

/** Returns the names of the settings for the local user, which are not used when an identity provider authenticates users. */
const unusedUserSettings = ({ AUTH_PROVIDER }: Readonly<Record<string, string>>): readonly string[] =>
  AUTH_PROVIDER === "local" ? [] : ["DEV_TENANT_ID", "DEV_USER_ID", "DEV_USER_ROLES"];

/**
 * Returns the environment variables of a function. It gets only the variables that it uses, so that it does not get the
 * secrets of other functions.
 * @param variables names of the variables that the function uses
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
