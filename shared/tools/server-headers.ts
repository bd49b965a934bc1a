import type { UserScope } from "../dynamodb/tenant-scope.ts";
import { loadAccessToken } from "./oauth/access-token.ts";
import { openServerSecret } from "./server-secret.ts";
import type { StoredToolServer } from "./server-store.ts";
import { ToolServerError } from "./tool-server-error.ts";

/**
 * Returns the headers with which requests to a server authenticate.
 * @param member user whose token is sent to a server with sign-in
 * @throws SignInRequired, ToolServerError
 */
export async function loadServerHeaders(member: UserScope, server: StoredToolServer): Promise<Record<string, string>> {
  const { auth, oauth } = server;
  if (auth.type === "none") return {};
  if (oauth) return { authorization: `Bearer ${await loadAccessToken(member, server)}` };
  const secret = await openServerSecret(server);
  return auth.header === null || secret === null ? {} : { [auth.header]: secret };
}

/** Tells whether a server has refused a token, and therefore not executed the request. */
export const isTokenRefused = ({ oauth }: StoredToolServer, error: unknown): boolean =>
  oauth !== null && error instanceof ToolServerError && error.status === 401;

/** Returns headers with another token than the one that the server has refused. @throws SignInRequired, ToolServerError */
export async function renewServerHeaders(
  member: UserScope,
  server: StoredToolServer,
  { authorization = "" }: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const token = await loadAccessToken(member, server, authorization.replace(/^Bearer /, ""));
  return { authorization: `Bearer ${token}` };
}
