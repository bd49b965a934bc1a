import { startToolSignInRoute } from "#shared/api/tools/sign-ins.ts";
import { authorizeApproval } from "#shared/governance/approvals/approval-store.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { notFound } from "#shared/lib/errors.ts";
import { authorizeSignIn } from "#shared/tools/oauth/authorize-sign-in.ts";
import { startSignIn } from "#shared/tools/oauth/sign-in-store.ts";

export const handler = endpoint(startToolSignInRoute, async ({ principal, rights, params, body }) => {
  const server = await authorizeSignIn(principal, await rights(), params.id);
  const { approval_id = null } = body;
  if (approval_id !== null) {
    const { run } = await authorizeApproval(principal, false, approval_id);
    if (!run?.is_sign_in || run.tool?.server_id !== server.id) throw notFound();
  }
  return startSignIn(principal, server, approval_id);
});
