import * as v from "valibot";
import type { TeamsPrincipal } from "../auth/principal.ts";
import { verifyBotToken } from "../auth/verify-bot-token.ts";
import type { EndpointOptions } from "../http/chain.ts";
import { env } from "../lib/env.ts";
import { notFound, ServiceError } from "../lib/errors.ts";
import { findWorkspaceOfAnyTenant } from "../messengers/workspace-store.ts";
import { verifyLimited } from "../tenancy/failed-credentials.ts";
import { isServiceUrl } from "./connector.ts";
import { teamsLookups, teamsWorkspaces } from "./workspace-store.ts";

const CHANNEL = "msteams";

const Origin = v.object({ channelId: v.literal(CHANNEL), serviceUrl: v.string() });
const Body = v.pipe(v.string(), v.parseJson(), Origin);

/**
 * Verifies an activity for the bot of the workspace whose id is in the path.
 * @throws ServiceError `not_found` for an unknown or disabled workspace, `unauthorized`, `unavailable` if Microsoft's
 * keys cannot be loaded
 */
async function verifyActivity(id: string, authorization: string | undefined, rawBody: Buffer): Promise<TeamsPrincipal> {
  if (!authorization) throw new ServiceError("unauthorized", "Send the token of the Bot Connector service.");
  const found = await findWorkspaceOfAnyTenant(teamsWorkspaces, teamsLookups, id);
  if (!found?.workspace.enabled) throw notFound();
  const { app_id, teams_tenant_id } = found.workspace;
  if (app_id === null) throw new ServiceError("unauthorized", "The workspace has no app yet.");
  const origin = v.safeParse(Body, rawBody.toString());
  if (!origin.success || !isServiceUrl(origin.output.serviceUrl)) {
    throw new ServiceError("unauthorized", "The activity is not one of Teams.");
  }
  const { serviceUrl } = origin.output;
  const { TEAMS_OPENID_URL: metadataUrl } = env("TEAMS_OPENID_URL");
  await verifyBotToken(authorization, { metadataUrl, channel: CHANNEL, appId: app_id, serviceUrl });
  const { tenantId } = found;
  return { kind: "teams", tenantId, keyId: id, expiresAt: null, appId: app_id, teamsTenantId: teams_tenant_id };
}

/**
 * Options of the endpoint that Teams calls. It verifies the credential itself, because a Lambda authorizer does not
 * receive the body, whose `serviceUrl` must match the token.
 */
export const teamsCredential: EndpointOptions = {
  authenticate: async (context) => {
    const { address, headers, rawBody, params } = context.http;
    const id = params.workspace_id ?? "";
    const verify = () => verifyActivity(id, headers.authorization, rawBody);
    context.principal = await verifyLimited(address, verify, { readsTable: true, channelId: id });
  },
};
