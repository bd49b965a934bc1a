import { testWebhookRoute } from "#shared/api/channels/webhooks.ts";
import { getChannel } from "#shared/channels/channel-store.ts";
import { addTestAlert } from "#shared/channels/manual-alerts.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(testWebhookRoute, async ({ principal, params, operationId }) =>
  addTestAlert(await getChannel(principal, params.channel_id), operationId),
);
