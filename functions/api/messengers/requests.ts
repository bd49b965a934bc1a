import {
  receiveSlackAppRequestRoute,
  receiveSlackRequestRoute,
  receiveTeamsActivityRoute,
} from "#shared/api/messengers/requests.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import { slackAppCredential } from "#shared/slack/app/verify-app-request.ts";
import { receiveSlackRequest } from "#shared/slack/receive-request.ts";
import { slackCredential } from "#shared/slack/verify-request.ts";
import { receiveActivity } from "#shared/teams/receive-activity.ts";
import { teamsCredential } from "#shared/teams/verify-activity.ts";

export const receiveSlackAppRequestHandler = endpoint(
  receiveSlackAppRequestRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveSlackRequest(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  slackAppCredential,
);

export const receiveSlackRequestHandler = endpoint(
  receiveSlackRequestRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveSlackRequest(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  slackCredential,
);

export const receiveTeamsActivityHandler = endpoint(
  receiveTeamsActivityRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveActivity(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  teamsCredential,
);
