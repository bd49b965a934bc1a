import type { AlertPaths } from "../api/webhooks/alert-paths.ts";
import { now } from "../lib/clock.ts";
import { findAdapter, normalizeAlert } from "./adapters/adapters.ts";
import type { Alert, AlertPayload } from "./adapters/types.ts";
import { findRefusedBody } from "./delivery-store.ts";
import type { StoredWebhookChannel } from "./webhook-channel-store.ts";

/** Alert that a refused delivery would become, before the guardrail checks it. */
export interface PreviewedAlert extends Pick<Alert, "provider" | "severity" | "title" | "description" | "link"> {
  readonly received_at: string;
}

/**
 * Returns the alert that the channel's latest refused delivery would become with the given paths; null if there is none
 * or the paths do not fit.
 */
export async function previewAlert(
  channel: StoredWebhookChannel,
  paths: AlertPaths | null,
): Promise<PreviewedAlert | null> {
  const refused = await findRefusedBody({ tenantId: channel.tenant_id }, channel.channel_id);
  if (!refused) return null;
  try {
    const payload = JSON.parse(refused.body) as AlertPayload;
    const defaults = { nowMs: now(), newAlertId: "", paths };
    const { alert } = normalizeAlert(findAdapter(payload, {}, paths), payload, defaults);
    const { provider, severity, title, description, link } = alert;
    return { received_at: refused.received_at, provider, severity, title, description, link };
  } catch {
    return null;
  }
}
