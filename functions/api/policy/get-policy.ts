import { getPolicyRoute } from "#shared/api/governance/policy.ts";
import { getCurrentPolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { etagHeader } from "#shared/http/etag.ts";
import { Reply } from "#shared/http/reply.ts";

export const handler = endpoint(getPolicyRoute, async ({ principal }) => {
  const policy = await getCurrentPolicy(principal);
  return new Reply(200, policy, etagHeader(policy));
});
