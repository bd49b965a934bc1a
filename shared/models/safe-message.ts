import { getLoadedSecret } from "../lib/secrets.ts";
import { truncate } from "../lib/truncate.ts";
import { getKeySetting, listProviders, listTenantKeys } from "./model-table.ts";

const MAX_MESSAGE_CHARACTERS = 1_000;

/** Patterns of keys, addresses and account ids with their replacements, which are applied in this order. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b[a-z][a-z+.-]{0,30}:\/\/[^\s"'<>)\]]+/gi, "[address]"],
  [/\barn:[\w-]+:[^\s"',]+/gi, "[resource]"],
  [/(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, "[email]"],
  [/\bBearer\s+\S+/gi, "[key]"],
  [/\b(?:sk|pk|rk|gsk|xai|hf|ghp|pplx|key|AIza|AKIA|ASIA)[-_]?[\w*.-]{6,}/g, "[key]"],
  [
    /\b(?:org|proj|project|acct|account|user|team|tenant|workspace|asst|req|resp|cus)[-_](?=[A-Za-z_-]{0,200}\d)[\w-]{3,}/gi,
    "[id]",
  ],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "[id]"],
  [/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "[address]"],
  [/\blocalhost(?::\d+)?\b/gi, "[address]"],
  [
    /(?<![a-z\d.-])(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?:com|net|org|io|ai|dev|app|cloud|co|internal|local|lan|corp|example|test|svc|de|eu|uk|ch|cn)\b(?::\d+)?/gi,
    "[address]",
  ],
  [/\b\d{12}\b/g, "[id]"],
  [/(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{28,}/g, "[key]"],
];

/** Returns texts that must not appear in messages: the API keys and the hosts of all providers. */
function getSecrets(): string[] {
  const ofDeployment = listProviders().flatMap((provider) => [
    getLoadedSecret(getKeySetting(provider)),
    URL.canParse(provider.baseUrl) ? new URL(provider.baseUrl).host : "",
  ]);
  return [...ofDeployment, ...listTenantKeys()].filter((text) => text.length > 3);
}

/** Removes keys, addresses and account ids from a provider's message, so that callers can get it. */
export function toSafeMessage(message: string): string {
  const withoutSecrets = getSecrets().reduce((text, secret) => text.replaceAll(secret, "[removed]"), message);
  const safe = replacements.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    withoutSecrets,
  );
  return truncate(safe.replace(/\s+/g, " ").trim(), MAX_MESSAGE_CHARACTERS);
}
