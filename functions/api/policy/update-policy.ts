import { updatePolicy } from "#shared/api/governance/policy.ts";
import { policyOf, replacePolicy } from "#shared/governance/policy-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { checkMatch, entityTag, staleVersion } from "#shared/http/entity-tag.ts";
import { Reply } from "#shared/http/reply.ts";

export const handler = endpoint(updatePolicy, async ({ principal, body, headers }) => {
  const current = await policyOf(principal);
  checkMatch(headers, current);
  const policy = await replacePolicy(principal, body, current.version, staleVersion);
  return new Reply(200, policy, entityTag(policy));
});
