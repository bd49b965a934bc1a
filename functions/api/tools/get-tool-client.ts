import { getToolClientRoute } from "#shared/api/tools/sign-ins.ts";
import { endpoint } from "#shared/http/endpoint.ts";
import { SIGN_IN_PATH } from "#shared/tools/oauth/sign-in-store.ts";

export const handler = endpoint(getToolClientRoute, async ({ baseUrl }) => ({
  client_id: baseUrl + getToolClientRoute.path,
  client_name: "Switchboard",
  client_uri: baseUrl,
  redirect_uris: [baseUrl + SIGN_IN_PATH],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
}));
