import { receiveSlackAppRequest } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import { slackAppCredential } from "#shared/slack/app/verify-app-request.ts";
import * as slack from "#shared/slack/receive-request.ts";

export const handler = endpoint(
  receiveSlackAppRequest,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await slack.receiveSlackRequest(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  slackAppCredential,
);
