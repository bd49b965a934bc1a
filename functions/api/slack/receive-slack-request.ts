import { receiveSlackRequestRoute } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import { receiveSlackRequest } from "#shared/slack/receive-request.ts";
import { slackCredential } from "#shared/slack/verify-request.ts";

export const handler = endpoint(
  receiveSlackRequestRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveSlackRequest(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  slackCredential,
);
