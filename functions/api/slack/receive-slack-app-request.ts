import { receiveSlackAppRequestRoute } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import { slackAppCredential } from "#shared/slack/app/verify-app-request.ts";
import { receiveSlackRequest } from "#shared/slack/receive-request.ts";

export const handler = endpoint(
  receiveSlackAppRequestRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveSlackRequest(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  slackAppCredential,
);
