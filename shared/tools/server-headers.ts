import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { loadAccessToken } from "./oauth/access-token.ts";
import { openServerSecret } from "./server-secret.ts";
import type { StoredToolServer } from "./server-store.ts";
import { ToolServerError } from "./tool-server-error.ts";

/**
 * Returns the authentication headers for requests to a server; empty for a server without authentication.
 * @param member user whose token is sent if the server requires a sign-in
 */
export async function loadServerHeaders(member: UserScope, server: StoredToolServer): Promise<Record<string, string>> {
  const { auth, oauth } = server;
  if (auth.type === "none") return {};
  if (oauth) return { authorization: `Bearer ${await loadAccessToken(member, server)}` };
  const secret = await openServerSecret(server);
  return auth.header === null || secret === null ? {} : { [auth.header]: secret };
}

/** Returns true if a server rejected the token with 401, so that it has not executed the request. */
export const isTokenRefused = ({ oauth }: StoredToolServer, error: unknown): boolean =>
  oauth !== null && error instanceof ToolServerError && error.status === 401;

/**
 * Returns authentication headers with a refreshed token.
 * @param headers headers with the token that the server rejected
 */
export async function renewServerHeaders(
  member: UserScope,
  server: StoredToolServer,
  { authorization = "" }: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const token = await loadAccessToken(member, server, authorization.replace(/^Bearer /, ""));
  return { authorization: `Bearer ${token}` };
}
