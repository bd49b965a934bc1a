import type { ApiResponse, Client } from "#test/support/client.ts";
import type { OidcServer } from "./oidc-server.ts";

const path = "/v1/tenant/issuers";

/** Adds an identity provider to a tenant and proves it with a token. Returns the response to the proof. */
export async function addIssuer(
  client: Client,
  server: Pick<OidcServer, "issuer" | "sign">,
  settings: { readonly audience: string; readonly claims?: object },
): Promise<ApiResponse> {
  const body = { issuer: server.issuer, ...settings };
  const added = await client.post(path, body);
  if (added.status !== 201) return added;
  const token = await server.sign({ aud: settings.audience, sub: "admin", nonce: added.body.nonce });
  return client.post(path, { ...body, token });
}
