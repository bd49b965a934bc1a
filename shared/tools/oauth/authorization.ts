import * as v from "valibot";

/**
 * Authorization server of a tool server, and this service's client there. It is stored when an administrator adds the
 * tool server, so that a later response of a server cannot redirect users or tokens to another site.
 */
export const Authorization = v.object({
  issuer: v.string(),
  authorization_endpoint: v.string(),
  token_endpoint: v.string(),
  revocation_endpoint: v.nullable(v.string()),
  /** True if the authorization server names itself in its responses (`iss`, RFC 9207). */
  sends_issuer: v.boolean(),
  /** Identifier of the tool server for which tokens are requested (RFC 8707). */
  resource: v.string(),
  scope: v.nullable(v.string()),
  client_id: v.string(),
  auth_method: v.picklist(["none", "client_secret_basic", "client_secret_post"]),
  redirect_uri: v.string(),
});
export type Authorization = v.InferOutput<typeof Authorization>;
