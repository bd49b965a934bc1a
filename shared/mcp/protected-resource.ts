import { callMcpRoute } from "../api/tools/mcp.ts";
import { env } from "../lib/env.ts";

/**
 * Returns the metadata of `/mcp` as a protected resource (RFC 9728). Without an identity provider, it names no authorization
 * server.
 */
export function describeProtectedResource(baseUrl: string) {
  const { JWT_ISSUER } = env("JWT_ISSUER");
  return {
    resource: baseUrl + callMcpRoute.path,
    resource_name: "Switchboard",
    ...(JWT_ISSUER && { authorization_servers: [JWT_ISSUER] }),
    bearer_methods_supported: ["header"],
  };
}
