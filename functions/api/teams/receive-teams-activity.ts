import { receiveTeamsActivityRoute } from "#shared/api/teams/workspaces.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { countMetric } from "#shared/lib/metrics.ts";
import { receiveActivity } from "#shared/teams/receive-activity.ts";
import { teamsCredential } from "#shared/teams/verify-activity.ts";

export const handler = endpoint(
  receiveTeamsActivityRoute,
  async ({ principal, body, baseUrl }) => {
    const { isDuplicate, ...reply } = await receiveActivity(principal, body, baseUrl);
    if (isDuplicate) countMetric("duplicates");
    return reply;
  },
  teamsCredential,
);
