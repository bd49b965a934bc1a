import * as v from "valibot";

/**
 * Authorization server of a tool server, and the client that is registered there. Stored when an administrator adds the tool
 * server, so that nothing a server says later sends users or tokens to another site.
 */
export const Authorization = v.object({
  issuer: v.string(),
  authorization_endpoint: v.string(),
  token_endpoint: v.string(),
  revocation_endpoint: v.nullable(v.string()),
  /** True if the server names itself in its responses (RFC 9207). */
  sends_issuer: v.boolean(),
  /** Identifier of the tool server for which tokens are requested (RFC 8707). */
  resource: v.string(),
  scope: v.nullable(v.string()),
  client_id: v.string(),
  auth_method: v.picklist(["none", "client_secret_basic", "client_secret_post"]),
  redirect_uri: v.string(),
});
export type Authorization = v.InferOutput<typeof Authorization>;
