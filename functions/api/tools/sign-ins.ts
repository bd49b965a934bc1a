import {
  completeToolSignInRoute,
  deleteToolSignInRoute,
  getToolClientRoute,
  listToolSignInsRoute,
  startToolSignInRoute,
} from "#shared/api/tools/sign-ins.ts";
import { approveSignIns } from "#shared/governance/approvals/approve-sign-ins.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeSignIn } from "#shared/tools/oauth/authorize-sign-in.ts";
import { completeSignIn } from "#shared/tools/oauth/complete-sign-in.ts";
import { listSignIns } from "#shared/tools/oauth/list-sign-ins.ts";
import { revokeToken } from "#shared/tools/oauth/revoke-tokens.ts";
import { SIGN_IN_PATH, startSignIn } from "#shared/tools/oauth/sign-in-store.ts";
import { findToken } from "#shared/tools/oauth/token-store.ts";

export const completeToolSignInHandler = endpoint(completeToolSignInRoute, async ({ principal, body }) => {
  const server = await completeSignIn(principal, body);
  await approveSignIns(principal, server.id);
  return { server_id: server.id, server_name: server.name };
});

export const deleteToolSignInHandler = endpoint(deleteToolSignInRoute, async ({ principal, rights, params }) => {
  const server = await authorizeSignIn(principal, await rights(), params.id);
  const token = await findToken(principal, server);
  if (token) await revokeToken(principal, server, token);
});

export const getToolClientHandler = endpoint(getToolClientRoute, async ({ baseUrl }) => ({
  client_id: baseUrl + getToolClientRoute.path,
  client_name: "Switchboard",
  client_uri: baseUrl,
  redirect_uris: [baseUrl + SIGN_IN_PATH],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
}));

export const listToolSignInsHandler = endpoint(listToolSignInsRoute, async ({ principal }) => ({
  sign_ins: await listSignIns(principal),
}));

export const startToolSignInHandler = endpoint(startToolSignInRoute, async ({ principal, rights, params }) =>
  startSignIn(principal, await authorizeSignIn(principal, await rights(), params.id)),
);
