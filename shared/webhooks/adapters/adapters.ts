import type { AlertPaths } from "../../api/webhooks/alert-paths.ts";
import { AlertProvider } from "../../api/webhooks/webhooks.ts";
import { invalidField } from "../../lib/errors.ts";
import type { RequestHeaders } from "../../lib/request-headers.ts";
import { cloudwatchAdapter } from "./cloudwatch.ts";
import { customAdapter } from "./custom.ts";
import { datadogAdapter } from "./datadog.ts";
import { limitMetadata } from "./fields.ts";
import { githubAdapter } from "./github.ts";
import { grafanaLegacyAdapter } from "./grafana-legacy.ts";
import { hasConfiguredText, jsonAdapter } from "./json.ts";
import { newRelicAdapter } from "./new-relic.ts";
import { newRelicLegacyAdapter } from "./new-relic-legacy.ts";
import { opsgenieAdapter } from "./opsgenie.ts";
import { pagerdutyAdapter } from "./pagerduty.ts";
import { alertmanagerAdapter, grafanaAdapter } from "./prometheus.ts";
import { sentryAdapter } from "./sentry.ts";
import type { AlertAdapter, AlertDefaults, AlertPayload, NormalizedAlert } from "./types.ts";

/**
 * Adapters in the order in which they are tried: first those that recognize a header, then those that recognize fields
 * of the payload, last the generic format.
 */
const adapters: readonly AlertAdapter[] = [
  githubAdapter,
  sentryAdapter,
  pagerdutyAdapter,
  datadogAdapter,
  cloudwatchAdapter,
  grafanaAdapter,
  alertmanagerAdapter,
  grafanaLegacyAdapter,
  opsgenieAdapter,
  newRelicAdapter,
  newRelicLegacyAdapter,
  jsonAdapter,
  customAdapter,
];

export const adapterLabels: Readonly<Partial<Record<AlertProvider, string>>> = Object.fromEntries(
  adapters.map(({ provider, label }) => [provider, label]),
);

/**
 * Earlier names of two providers. The specification uses them in `X-Webhook-Provider`, earlier releases in stored
 * items.
 */
const providerAliases: Readonly<Record<string, AlertProvider>> = { incident: "pagerduty", monitor: "datadog" };

/** Returns the provider for an earlier name of it, or undefined if the name is not one of those. */
export const toProvider = (name: string): AlertProvider | undefined =>
  Object.hasOwn(providerAliases, name) ? providerAliases[name] : undefined;

/**
 * Returns the adapter for a payload: the JSON adapter if the payload has a text at the path that the channel
 * configures, or else the provider that `X-Webhook-Provider` names, or else the first adapter that recognizes the
 * payload.
 * @throws ServiceError `validation_failed` if the header names an unknown provider
 */
export function findAdapter(
  payload: AlertPayload,
  headers: RequestHeaders,
  paths: AlertPaths | null = null,
): AlertAdapter {
  if (hasConfiguredText(payload, paths)) return jsonAdapter;
  const named = headers["x-webhook-provider"];
  if (named === undefined) return adapters.find((adapter) => adapter.matches(payload, headers)) ?? customAdapter;
  // A provider can have a current format and an earlier one.
  const ofProvider = adapters.filter(({ provider }) => provider === (toProvider(named) ?? named));
  const adapter = ofProvider.find((each) => each.matches(payload, headers)) ?? ofProvider[0];
  if (adapter) return adapter;
  const names = [...AlertProvider.options, ...Object.keys(providerAliases)];
  const message = `must be one of ${names.join(", ")}`;
  throw invalidField("X-Webhook-Provider", "invalid_value", message, "header");
}

/**
 * Converts a payload to an alert in the service's own form.
 * @throws ServiceError `validation_failed` if the payload lacks required fields of the provider's format
 */
export function normalizeAlert(adapter: AlertAdapter, payload: AlertPayload, defaults: AlertDefaults): NormalizedAlert {
  const { alert, ...keys } = adapter.normalize(payload, defaults);
  const { provider } = adapter;
  return { ...keys, alert: { provider, is_test: false, ...alert, metadata: limitMetadata(alert.metadata) } };
}

/** Returns at most 50 top-level fields of a payload that its adapter ignores. */
export function findIgnoredFields(adapter: AlertAdapter, payload: AlertPayload): string[] {
  return Object.keys(payload)
    .filter((field) => !adapter.fields.includes(field))
    .slice(0, 50);
}

/** Fields that Datadog's format has in addition to the generic format. */
const datadogFields = datadogAdapter.fields.filter((field) => !customAdapter.fields.includes(field));

/**
 * Returns the key that identifies the event of a delivery, or null if only an identical body counts as the same event.
 * Headers are not used, because they are not signed: a captured body with other headers must not become a second event.
 */
export function findEventKey(payload: AlertPayload, defaults: AlertDefaults): string | null {
  const recognized = findAdapter(payload, {}, defaults.paths);
  // A generic alert with an id is recognized as Datadog's, which names the events of one alert only together with a time.
  const isGeneric = recognized === datadogAdapter && !datadogFields.some((field) => field in payload);
  const adapter = isGeneric ? customAdapter : recognized;
  try {
    return adapter.normalize(payload, defaults).eventKey;
  } catch {
    return null;
  }
}
