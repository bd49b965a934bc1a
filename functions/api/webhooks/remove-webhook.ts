import { removeWebhookRoute } from "#shared/api/webhooks/webhooks.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { removeChannel } from "#shared/webhooks/channel-store.ts";

export const handler = endpoint(removeWebhookRoute, ({ principal, params }) =>
  removeChannel(principal, params.channel_id),
);
