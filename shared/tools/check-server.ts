import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { timestamp } from "../lib/clock.ts";
import { compareTools, toListedTools } from "./definitions.ts";
import { McpClient } from "./mcp/mcp-client.ts";
import { isTokenRefused, loadServerHeaders, renewServerHeaders } from "./server-headers.ts";
import { type StoredToolServer, withTools } from "./server-store.ts";
import { toToolServerFailure } from "./tool-server-error.ts";

/** Timeout of a check. An administrator waits for it, and API Gateway ends requests after 29 seconds. */
const CHECK_TIMEOUT_MS = 20_000;

export const createClient = (server: StoredToolServer, headers: Readonly<Record<string, string>>): McpClient =>
  new McpClient({ url: server.url, headers, protocolVersion: server.protocol_version });

/**
 * Lists the tools of an MCP server and compares them with the pinned ones.
 * @returns the server with the current tools, which is not stored
 * @throws ToolServerError
 */
export async function refreshTools(
  server: StoredToolServer,
  client: McpClient,
  signal: AbortSignal,
  canAsk = false,
): Promise<StoredToolServer> {
  const { tools: definitions } = await client.listTools({ signal, timeoutMs: CHECK_TIMEOUT_MS, canAsk });
  const { tools, skipped } = toListedTools(definitions, server.allowed_tools);
  return withTools(server, {
    tools: compareTools(server.tools, tools),
    skipped_tools: [...skipped],
    protocol_version: client.protocolVersion,
    checked_at: timestamp(),
  });
}

async function listOnce(server: StoredToolServer, headers: Readonly<Record<string, string>>) {
  const client = createClient(server, headers);
  try {
    return await refreshTools(server, client, AbortSignal.timeout(CHECK_TIMEOUT_MS));
  } finally {
    await client.close();
  }
}

/**
 * Lists the tools of a server and compares them with the pinned ones, without storing the result. A server with sign-in
 * receives the token of `member`. A server of the kind `http` is returned unchanged.
 * @throws ServiceError `tool_server_failed`
 */
export async function checkServer(member: UserScope, server: StoredToolServer): Promise<StoredToolServer> {
  // The definitions of actions come from the administrator, so there is nothing to list.
  if (server.kind === "http") return server;
  try {
    const headers = await loadServerHeaders(member, server);
    try {
      return await listOnce(server, headers);
    } catch (error) {
      if (!isTokenRefused(server, error)) throw error;
      return await listOnce(server, await renewServerHeaders(member, server, headers));
    }
  } catch (error) {
    throw toToolServerFailure(error);
  }
}
