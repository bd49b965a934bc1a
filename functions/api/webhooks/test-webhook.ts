import { testWebhookRoute } from "#shared/api/webhooks/webhooks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { addTestAlert } from "#shared/webhooks/test-alert.ts";
import { getWebhookChannel } from "#shared/webhooks/webhook-channel-store.ts";

export const handler = endpoint(testWebhookRoute, async ({ principal, params, operationId }) =>
  addTestAlert(await getWebhookChannel(principal, params.channel_id), operationId),
);
