import { removeWebhook } from "#shared/api/channels/webhooks.ts";
import { removeChannel } from "#shared/channels/webhook-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(removeWebhook, ({ principal, params }) => removeChannel(principal, params.channel_id));
