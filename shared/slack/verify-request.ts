import type { SlackPrincipal } from "../auth/principal.ts";
import type { EndpointOptions } from "../http/chain.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import type { RequestHeaders } from "../lib/request-headers.ts";
import { findWorkspaceOfAnyTenant } from "../messengers/workspace-store.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { findSlackFault, missingSignature, toSlackPrincipal } from "./signature.ts";
import { openSigningSecret } from "./workspace-secrets.ts";
import { slackLookups, slackWorkspaces } from "./workspace-store.ts";

/**
 * Verifies a request with the signing secret of the workspace whose id is in the path.
 * @throws ServiceError `not_found` for an unknown or disabled workspace, `unauthorized`
 */
async function verifyRequest(id: string, headers: RequestHeaders, rawBody: Buffer): Promise<SlackPrincipal> {
  if (!headers["x-slack-signature"]) throw new ServiceError("unauthorized", missingSignature);
  const found = await findWorkspaceOfAnyTenant(slackWorkspaces, slackLookups, id);
  if (!found?.workspace.enabled) throw notFound();
  const { tenantId, workspace } = found;
  const secret = await openSigningSecret({ tenantId }, workspace);
  const fault = secret === null ? "The workspace has no signing secret yet." : findSlackFault(headers, rawBody, secret);
  if (fault) throw new ServiceError("unauthorized", fault);
  return toSlackPrincipal(tenantId, workspace);
}

/**
 * Options of the endpoint that Slack calls for a workspace with its own app. It verifies the credential itself, because
 * a Lambda authorizer does not receive the body, which the signature covers.
 */
export const slackCredential: EndpointOptions = {
  authenticate: async (context) => {
    const { address, headers, rawBody, params } = context.http;
    const id = params.workspace_id ?? "";
    const verify = () => verifyRequest(id, headers, rawBody);
    context.principal = await verifyLimited(address, verify, { readsTable: true, channelId: id });
  },
};
