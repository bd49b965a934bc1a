import { removeWebhookRoute } from "#shared/api/channels/webhooks.ts";
import { removeChannel } from "#shared/channels/channel-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(removeWebhookRoute, ({ principal, params }) =>
  removeChannel(principal, params.channel_id),
);
