import * as v from "valibot";
import { routeGroup } from "../define-route.ts";
import { describe, Id, nonEmptyText, Timestamp } from "../fields.ts";

const route = routeGroup({ group: "tools", auth: "jwt", idempotency: "none" });

/** Query parameter that an authorization server adds when it redirects the user back. */
const Parameter = nonEmptyText(4_096);

/** State of a user's sign-in to a tool server. */
export const ToolSignIn = v.object({
  server_id: Id,
  server_name: v.string(),
  type: v.picklist(["oauth_user", "oauth_tenant"]),
  signed_in: v.boolean(),
  expires_at: describe(v.nullable(Timestamp), "The end of the sign-in, unless it is renewed. Null if it is unknown."),
});
export type ToolSignIn = v.InferOutput<typeof ToolSignIn>;

export const listToolSignInsRoute = route("GET /v1/tools/sign-ins", {
  id: "listToolSignIns",
  replies: { 200: v.object({ sign_ins: v.array(ToolSignIn) }) },
  summary: "List the caller's sign-ins to tool servers",
  description: "One entry for each of the newest 100 tool servers with sign-in.",
});

export const startToolSignInRoute = route("POST /v1/tools/servers/{id}/sign-in", {
  id: "startToolSignIn",
  keys: "refused",
  replies: { 200: v.object({ url: v.string(), expires_at: Timestamp }) },
  errors: ["forbidden", "conflict"],
  summary: "Start a sign-in to a tool server",
  description:
    "Returns the address at which the user signs in with the authorization server of the tool server (OAuth 2.1 with PKCE). A sign-in for the tenant needs `tools.manage`. Returns 409 for a server without sign-in.",
});

export const completeToolSignInRoute = route("POST /v1/tools/sign-ins", {
  id: "completeToolSignIn",
  keys: "refused",
  body: v.strictObject({
    state: Parameter,
    code: v.optional(Parameter),
    iss: v.optional(Parameter),
    error: v.optional(Parameter),
    error_description: v.optional(Parameter),
  }),
  replies: { 200: v.object({ server_id: Id, server_name: v.string() }) },
  errors: ["not_found", "conflict", "tool_server_failed"],
  summary: "Complete a sign-in to a tool server",
  description:
    "Takes the parameters with which the authorization server sent the user back. Only the user who has started the sign-in can complete it, once. All runs of the user that wait for the sign-in (`sign_in_required`) continue.",
});

export const deleteToolSignInRoute = route("DELETE /v1/tools/servers/{id}/sign-in", {
  id: "deleteToolSignIn",
  errors: ["forbidden"],
  summary: "Sign out of a tool server",
  description:
    "Deletes the caller's tokens and revokes them at the authorization server. Those of the tenant need `tools.manage`.",
});

export const getToolClientRoute = route("GET /v1/tools/oauth-client", {
  id: "getToolClient",
  auth: "none",
  replies: {
    200: v.object({
      client_id: v.string(),
      client_name: v.string(),
      client_uri: v.string(),
      redirect_uris: v.array(v.string()),
      grant_types: v.array(v.string()),
      response_types: v.array(v.string()),
      token_endpoint_auth_method: v.string(),
    }),
  },
  summary: "Get the description of the service as an OAuth client",
  description:
    "A Client ID Metadata Document: its address is the `client_id` at authorization servers that support it.",
});
