import { testWebhookRoute } from "#shared/api/webhooks/webhooks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { getChannel } from "#shared/webhooks/channel-store.ts";
import { addTestAlert } from "#shared/webhooks/manual-alerts.ts";

export const handler = endpoint(testWebhookRoute, async ({ principal, params, operationId }) =>
  addTestAlert(await getChannel(principal, params.channel_id), operationId),
);
