import { deleteToolSignInRoute } from "#shared/api/tools/sign-ins.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { authorizeSignIn } from "#shared/tools/oauth/authorize-sign-in.ts";
import { revokeToken } from "#shared/tools/oauth/revoke-tokens.ts";
import { findToken } from "#shared/tools/oauth/token-store.ts";

export const handler = endpoint(deleteToolSignInRoute, async ({ principal, rights, params }) => {
  const server = await authorizeSignIn(principal, await rights(), params.id);
  const token = await findToken(principal, server);
  if (token) await revokeToken(principal, server, token);
});
