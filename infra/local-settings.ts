import { getEnvironment, settings as settingGroups } from "../shared/lib/env.ts";
import { loadConfig } from "./config.ts";
import { functionEnvironment } from "./constructs/function-environment.ts";
import type { AppSettings } from "./local/assembly/assembly-cache.ts";

/**
 * Settings whose values change the templates, such as authorizers, the security policy of the site, and which functions
 * exist.
 */
const templateSettings = /^(AUTH_PROVIDER|JWT_ISSUER|JWT_AUDIENCE|DEV_.*|PROBE_.*)$/;

/**
 * Values of settings for which functions get IAM rights: Bedrock, references to secrets, and files of usage. With one of
 * these, the settings cannot be divided.
 */
const grantingValues = /bedrock|\{\{resolve:|^csv$/;

/** Values with which the synthesis replaces required settings whose real values do not change the templates. */
const placeholders: Readonly<Record<string, string>> = { JWT_JWKS_URL: "https://keys.invalid/" };

/**
 * Divides the settings of the stage `local` into those that change the templates and those that are only environment
 * variables of functions. One cloud assembly then serves all values of the latter. See `AppSettings` of the local runner.
 * @throws SynthesisError that lists every invalid value
 */
export function divideSettings(environment = getEnvironment()): AppSettings {
  const { settings } = loadConfig((name) => (name === "stage" ? "local" : undefined));
  const values = Object.values(settings).flatMap((group) => Object.values(group));
  if (values.some((value) => grantingValues.test(value))) return { synthesis: {}, environmentOf: () => ({}) };
  const names = Object.values(settingGroups).flatMap((group) => Object.keys(group));
  return {
    synthesis: Object.fromEntries(
      names
        .filter((name) => environment[name] !== undefined && !templateSettings.test(name))
        .map((name) => [name, placeholders[name]]),
    ),
    environmentOf: (variables: readonly string[]) => functionEnvironment(settings, {}, variables),
  };
}
