import { updatePolicy } from "#shared/api/governance/policy.ts";
import { getCurrentPolicy, replacePolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { etagHeader, preconditionFailed, requireIfMatch } from "#shared/http/etag.ts";
import { Reply } from "#shared/http/reply.ts";

export const handler = endpoint(updatePolicy, async ({ principal, body, headers }) => {
  const current = await getCurrentPolicy(principal);
  requireIfMatch(headers, current);
  const policy = await replacePolicy(principal, body, current, preconditionFailed);
  return new Reply(200, policy, etagHeader(policy));
});
