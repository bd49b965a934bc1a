import type { AlertPaths } from "../../api/channels/alert-paths.ts";
import { AlertProvider } from "../../api/channels/webhooks.ts";
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
 * Adapters in the order of detection: by headers that only one provider sends, then by the payload's fields, then the
 * generic format.
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

/** Display names by provider. */
export const adapterLabels: Readonly<Partial<Record<AlertProvider, string>>> = Object.fromEntries(
  adapters.map(({ provider, label }) => [provider, label]),
);

/** Names of two providers in `X-Webhook-Provider` that the specification defines, and in items of earlier releases. */
const providerAliases: Readonly<Record<string, AlertProvider>> = { incident: "pagerduty", monitor: "datadog" };

/** Returns the provider that a name of the specification or of an earlier release stands for, or undefined. */
export const toProvider = (name: string): AlertProvider | undefined =>
  Object.hasOwn(providerAliases, name) ? providerAliases[name] : undefined;

/**
 * Returns the adapter for a payload: the one with paths if the channel has paths to its text, or else the one that the
 * `X-Webhook-Provider` header names, or else the one that recognizes the payload.
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
  throw invalidField({ path: "X-Webhook-Provider", location: "header", code: "invalid_value", message });
}

/** Normalizes a payload. @throws ServiceError `validation_failed` for a payload that the provider does not send */
export function normalizeAlert(adapter: AlertAdapter, payload: AlertPayload, defaults: AlertDefaults): NormalizedAlert {
  const normalized = adapter.normalize(payload, defaults);
  return { ...normalized, alert: { ...normalized.alert, metadata: limitMetadata(normalized.alert.metadata) } };
}

/** Returns the top-level fields of a payload that its adapter does not read. */
export function findIgnoredFields(adapter: AlertAdapter, payload: AlertPayload): string[] {
  return Object.keys(payload)
    .filter((field) => !adapter.fields.includes(field))
    .slice(0, 50);
}

/** Fields of Datadog's format that the generic format does not have. */
const datadogFields = datadogAdapter.fields.filter((field) => !customAdapter.fields.includes(field));

/**
 * Returns the key that identifies the event of a delivery, or null if only an identical body is the same event. The key
 * comes from the payload alone, because headers are not signed: a captured body remains one event regardless of its
 * headers.
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
