import type { AlertPaths } from "../api/webhooks/alert-paths.ts";
import { now } from "../lib/clock.ts";
import { isJsonObject, parseJson } from "../lib/parse-json.ts";
import { findSource, normalizeAlert } from "./adapters/adapters.ts";
import type { Alert } from "./adapters/types.ts";
import { findStoredBody } from "./delivery-store.ts";
import type { StoredWebhookChannel } from "./webhook-channel-store.ts";

/** Alert that a delivery would become, before the guardrail checks it. */
interface PreviewedAlert extends Pick<Alert, "provider" | "severity" | "title" | "description" | "link" | "state"> {
  readonly incident: string | null;
  readonly received_at: string;
}

/**
 * Returns the alert that the channel's latest delivery of unknown form would become with the given paths; null if there is none.
 */
export async function previewAlert(
  channel: StoredWebhookChannel,
  paths: AlertPaths | null,
): Promise<PreviewedAlert | null> {
  const stored = await findStoredBody({ tenantId: channel.tenant_id }, channel.channel_id);
  const payload = stored && parseJson(stored.body);
  if (!stored || !isJsonObject(payload)) return null;
  const defaults = { nowMs: now(), newAlertId: "" };
  const { alert, incident } = normalizeAlert(findSource(payload, {}, paths), payload, defaults);
  const { provider, severity, title, description, link, state } = alert;
  return { received_at: stored.received_at, provider, severity, title, description, link, state, incident };
}
