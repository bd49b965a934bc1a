import { receiveSlackRequest } from "#shared/api/slack/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import * as slack from "#shared/slack/receive-request.ts";
import { slackCredential } from "#shared/slack/verify-request.ts";

export const handler = endpoint(
  receiveSlackRequest,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await slack.receiveSlackRequest(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  slackCredential,
);
