import { replayDeliveryRoute } from "#shared/api/webhooks/deliveries.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getChannel } from "#shared/webhooks/channel-store.ts";
import { replayAlert } from "#shared/webhooks/manual-alerts.ts";

export const handler = endpoint(replayDeliveryRoute, async ({ principal, params, operationId }) =>
  replayAlert(await getChannel(principal, params.channel_id), params.fingerprint, operationId),
);
