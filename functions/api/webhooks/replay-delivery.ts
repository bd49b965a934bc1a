import { replayDeliveryRoute } from "#shared/api/channels/deliveries.ts";
import { getChannel } from "#shared/channels/channel-store.ts";
import { replayAlert } from "#shared/channels/manual-alerts.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(replayDeliveryRoute, async ({ principal, params, operationId }) =>
  replayAlert(await getChannel(principal, params.channel_id), params.fingerprint, operationId),
);
