import { updateWebhook } from "#shared/api/channels/deliveries.ts";
import { getChannel, setPaths } from "#shared/channels/channel-store.ts";
import { previewAlert } from "#shared/channels/preview-alert.ts";
import { toWebhookChannel } from "#shared/channels/webhook-channel.ts";
import { endpoint } from "#shared/http/endpoint.ts";

export const handler = endpoint(updateWebhook, async ({ principal, params, body, baseUrl }) => {
  const channel = await getChannel(principal, params.channel_id);
  const preview = await previewAlert(channel, body.paths);
  if (body.dry_run) return { ...toWebhookChannel(channel, baseUrl), preview };
  await setPaths(principal, params.channel_id, body.paths);
  return { ...toWebhookChannel({ ...channel, paths: body.paths }, baseUrl), preview };
});
