import type { AlertPaths } from "../../api/webhooks/alert-paths.ts";
import type { AlertProvider } from "../../api/webhooks/webhooks.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { guessPaths, guessSource } from "./guess.ts";
import { fieldsOf, hasMarks, readSource, withPaths } from "./read-source.ts";
import type { AlertSource } from "./source.ts";
import { codeSources } from "./sources/code-sources.ts";
import { customSource } from "./sources/custom.ts";
import { datadogSource, isGenericWithId } from "./sources/datadog.ts";
import { githubSources } from "./sources/github.ts";
import { incidentSources } from "./sources/incident-sources.ts";
import { logSources } from "./sources/log-sources.ts";
import { metricSources } from "./sources/metric-sources.ts";
import { uptimeSources } from "./sources/uptime-sources.ts";
import type { AlertDefaults, AlertPayload, NormalizedAlert } from "./types.ts";

/** Tools whose payloads are known, in the order in which they are tried. */
export const alertSources: readonly AlertSource[] = [
  ...githubSources,
  ...codeSources,
  ...incidentSources,
  ...uptimeSources,
  ...logSources,
  ...metricSources,
  customSource,
];

export const adapterLabels: Readonly<Partial<Record<AlertProvider, string>>> = {
  ...Object.fromEntries(alertSources.flatMap(({ provider, name }) => (provider ? [[provider, name]] : []))),
  custom: "Custom",
};

/** Names that the specification uses in `X-Webhook-Provider`. */
const providerAliases = new Map<string, AlertProvider>([
  ["incident", "pagerduty"],
  ["monitor", "datadog"],
]);

/** Source of a payload, and the paths by which it was guessed if the payload has no known form. */
interface FoundSource {
  readonly source: AlertSource;
  readonly guessedPaths: AlertPaths | null;
}

/**
 * Returns the source of a payload: the one that `X-Webhook-Provider` names, or else the first whose header or marks it has, or
 * else a guess. A channel's own paths come before those of the source.
 */
export function findSource(
  payload: AlertPayload,
  headers: RequestHeaders,
  paths: AlertPaths | null = null,
): FoundSource {
  const named = headers["x-webhook-provider"]?.trim().toLowerCase() ?? "";
  const provider = providerAliases.get(named) ?? named;
  const ofProvider =
    provider === "custom" ? [customSource] : alertSources.filter((source) => source.provider === provider);
  const candidates = ofProvider.length > 0 ? ofProvider : alertSources;
  const recognized =
    candidates.find((source) => hasMarks(source, payload)) ??
    candidates.find(({ header }) => header !== undefined && headers[header] !== undefined);
  if (recognized) return { source: withPaths(recognized, paths), guessedPaths: null };
  const guessedPaths = guessPaths(payload);
  return { source: withPaths(guessSource(guessedPaths), paths), guessedPaths: paths === null ? guessedPaths : null };
}

/** Converts a payload to an alert in the service's own form. */
export const normalizeAlert = (
  { source, guessedPaths }: FoundSource,
  payload: AlertPayload,
  defaults: AlertDefaults,
): NormalizedAlert => ({ ...readSource(source, payload, defaults), guessedPaths });

/** Returns at most 50 top-level fields of a payload that its source ignores. */
export function findIgnoredFields({ source }: FoundSource, payload: AlertPayload): string[] {
  const fields = new Set(fieldsOf(source, payload));
  return Object.keys(payload)
    .filter((field) => !fields.has(field))
    .slice(0, 50);
}

/**
 * Returns the key that identifies the event of a delivery, or null if only an identical body counts as the same event.
 * Headers are not used, because they are not signed: a captured body with other headers must not become a second event.
 */
export function findEventKey(payload: AlertPayload, paths: AlertPaths | null = null): string | null {
  const { source } = findSource(payload, {}, paths);
  // A generic alert with an id is recognized as Datadog's, which names the events of one alert only together with a time.
  const isGeneric = source === datadogSource && isGenericWithId(payload);
  return readSource(isGeneric ? customSource : source, payload, { nowMs: 0, newAlertId: "" }).eventKey;
}
