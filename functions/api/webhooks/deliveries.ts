import { listDeliveriesRoute, replayDeliveryRoute, updateWebhookRoute } from "#shared/api/webhooks/deliveries.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { pageReply } from "#shared/http/reply.ts";
import { authorizeInvestigations } from "#shared/investigations/authorize-investigations.ts";
import { toWriteBack } from "#shared/investigations/updates/write-back-settings.ts";
import { getWorkspace } from "#shared/messengers/workspace-store.ts";
import { findChannelName } from "#shared/slack/find-channel-name.ts";
import { slackWorkspaces } from "#shared/slack/workspace-store.ts";
import { getConnectedWorkspace } from "#shared/teams/workspace-store.ts";
import { listDeliveries } from "#shared/webhooks/delivery-store.ts";
import { previewAlert } from "#shared/webhooks/preview-alert.ts";
import { replayAlert } from "#shared/webhooks/replay-alert.ts";
import { toWebhookChannel } from "#shared/webhooks/webhook-channel.ts";
import { changeWebhookChannel, getWebhookChannel } from "#shared/webhooks/webhook-channel-store.ts";

export const listDeliveriesHandler = endpoint(listDeliveriesRoute, async ({ principal, params, query }) => {
  await getWebhookChannel(principal, params.channel_id);
  const page = await listDeliveries(principal, params.channel_id, query);
  return pageReply("deliveries", page, query.limit);
});

export const replayDeliveryHandler = endpoint(replayDeliveryRoute, async ({ principal, params, operationId }) =>
  replayAlert(await getWebhookChannel(principal, params.channel_id), params.fingerprint, operationId),
);

export const updateWebhookHandler = endpoint(updateWebhookRoute, async ({ principal, params, body, baseUrl }) => {
  const channel = await getWebhookChannel(principal, params.channel_id);
  const { paths, investigate, write_back, slack, teams, dry_run } = body;
  if (slack) await getWorkspace(slackWorkspaces, principal, slack.workspace_id);
  if (teams) await getConnectedWorkspace(principal, teams.workspace_id);
  const channel_name = slack ? await findChannelName(principal, slack.workspace_id, slack.channel) : null;
  const changes = {
    ...(paths !== undefined && { paths }),
    ...(investigate !== undefined && {
      investigate: investigate && (await authorizeInvestigations(principal, channel, investigate)),
    }),
    ...(slack !== undefined && { slack: slack && { ...slack, channel_name, base_url: baseUrl } }),
    ...(teams !== undefined && { teams: teams && { ...teams, base_url: baseUrl } }),
    ...(write_back !== undefined &&
      (write_back === null
        ? { write_back, sealed_write_back_secret: null }
        : await toWriteBack(principal, channel, write_back))),
  };
  const preview = await previewAlert(channel, paths === undefined ? channel.paths : paths);
  if (dry_run) return { ...toWebhookChannel(channel, baseUrl), preview };
  await changeWebhookChannel(principal, params.channel_id, changes);
  return { ...toWebhookChannel({ ...channel, ...changes }, baseUrl), preview };
});
