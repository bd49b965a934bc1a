import { removeWebhook } from "#shared/api/webhooks.ts";
import { removeChannel } from "#shared/data/webhook-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(removeWebhook, ({ principal, params }) => removeChannel(principal, params.channel_id));
