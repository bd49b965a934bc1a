import type { AuthorizationServer } from "#test/support/tools/authorization-server.ts";
import { type McpServer, startMcpServer, toolDefinition } from "#test/support/tools/mcp-server.ts";

/** MCP server that tells the account with whose token a tool was called. */
export interface ProtectedServer extends McpServer {
  /** Metadata of the server as a resource. */
  metadata: () => unknown;
  /** Refuses the tokens that it has accepted so far. */
  refuseTokens(): void;
  readonly accounts: string[];
}

/** Starts an MCP server that accepts tokens of an authorization server. */
export async function startProtectedServer(issuer: AuthorizationServer): Promise<ProtectedServer> {
  const mcp = await startMcpServer();
  const { origin } = new URL(mcp.url);
  const refused = new Set<string>();
  const seen = new Set<string>();
  const accounts: string[] = [];
  const state: ProtectedServer = Object.assign(mcp, {
    accounts,
    metadata: () => ({ resource: mcp.url, authorization_servers: [issuer.issuer], scopes_supported: ["tools"] }),
    refuseTokens: () => {
      for (const token of seen) refused.add(token);
    },
  });
  mcp.tools = [toolDefinition("whoami")];
  mcp.call = () => ({ content: [{ type: "text", text: `You are ${accounts.at(-1)}.` }] });
  mcp.intercept = async ({ path, headers }, response) => {
    if (path.startsWith("/.well-known/oauth-protected-resource")) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(state.metadata()));
      return true;
    }
    const token = String(headers.authorization ?? "").replace(/^Bearer /, "");
    const account = refused.has(token) ? undefined : await issuer.findAccount(token, mcp.url);
    if (account === undefined) {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
      return true;
    }
    seen.add(token);
    accounts.push(account);
    return false;
  };
  return state;
}
