import { getEnvironment, settings as settingGroups } from "../shared/lib/env.ts";
import { loadConfig } from "./config.ts";
import { functionEnvironment } from "./constructs/function-environment.ts";
import type { AppSettings } from "./local/assembly/assembly-cache.ts";

/**
 * Settings that change more than the environment of functions: authorizers, the site with its security policy, and which
 * functions there are.
 */
const templateSettings = /^(AUTH_PROVIDER|JWT_ISSUER|JWT_AUDIENCE|DEV_.*|PROBE_.*)$/;

/** Values by which the settings grant rights to functions: models and guardrails of Bedrock, references to secrets, and files of usage. */
const grantingValues = /bedrock|\{\{resolve:|^csv$/;

/** Values that replace required settings in the synthesis, which do not change the templates otherwise. */
const placeholders: Readonly<Record<string, string>> = { JWT_JWKS_URL: "https://keys.invalid/" };

/**
 * Divides the settings of the stage `local` into those that the synthesis needs and those that only become variables of
 * functions, so that one cloud assembly serves all values of the latter. See `AppSettings` of the local runner.
 * @throws SynthesisError listing every invalid value
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
