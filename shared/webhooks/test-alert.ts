import { timestamp } from "../lib/clock.ts";
import { ingestAlert } from "./ingest-alert.ts";
import { toChannelPrincipal } from "./replay-alert.ts";
import type { StoredWebhookChannel } from "./webhook-channel-store.ts";

/**
 * Adds a test alert to the channel's conversation.
 * @param eventId id of the test; a repeated one adds nothing
 */
export async function addTestAlert(
  channel: StoredWebhookChannel,
  eventId: string,
): Promise<{ alert_id: string; message_id: string }> {
  const event = {
    id: eventId,
    event_type: "pagey.ping",
    occurred_at: timestamp(),
    data: { title: "Test delivery", description: `Channel ${channel.channel_id} receives alerts.` },
  };
  const payload = { event };
  // The payload has the form of PagerDuty, not that at the channel's paths.
  const principal = { ...toChannelPrincipal(channel), alertPaths: null };
  const rawBody = Buffer.from(JSON.stringify(payload));
  const { alert_id, message_id } = await ingestAlert(principal, { payload, rawBody, headers: {} });
  return { alert_id, message_id };
}
