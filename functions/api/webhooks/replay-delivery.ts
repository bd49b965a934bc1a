import { replayDeliveryRoute } from "#shared/api/webhooks/deliveries.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { replayAlert } from "#shared/webhooks/replay-alert.ts";
import { getWebhookChannel } from "#shared/webhooks/webhook-channel-store.ts";

export const handler = endpoint(replayDeliveryRoute, async ({ principal, params, operationId }) =>
  replayAlert(await getWebhookChannel(principal, params.channel_id), params.fingerprint, operationId),
);
