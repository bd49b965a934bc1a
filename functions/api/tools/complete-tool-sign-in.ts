import { completeToolSignInRoute } from "#shared/api/tools/sign-ins.ts";
import { approveSignIns } from "#shared/governance/approvals/approve-sign-ins.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { completeSignIn } from "#shared/tools/oauth/complete-sign-in.ts";

export const handler = endpoint(completeToolSignInRoute, async ({ principal, body }) => {
  const server = await completeSignIn(principal, body);
  await approveSignIns(principal, server.id);
  return { server_id: server.id, server_name: server.name };
});
