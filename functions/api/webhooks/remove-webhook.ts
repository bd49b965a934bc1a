import { removeWebhook } from "#shared/api/channels/webhooks.ts";
import { removeChannel } from "#shared/channels/channel-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(removeWebhook, ({ principal, params }) => removeChannel(principal, params.channel_id));
