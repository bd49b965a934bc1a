import type { ToolSignIn } from "../../api/tools/sign-ins.ts";
import type { UserScope } from "../../dynamodb/tenant-scope.ts";
import { listServersWithSignIn, type StoredToolServer } from "../server-store.ts";
import { findTokens, isUsable, type StoredToken, tokenOwner } from "./token-store.ts";

/** Token of a user, or of the tenant, for a server. */
export const findTokenOf = (tokens: readonly StoredToken[], server: StoredToolServer, userId: string) =>
  tokens.find(({ server_id, owner }) => server_id === server.id && owner === tokenOwner(server, userId));

/** Returns the state of a user's sign-ins to the servers that need one. */
export async function listSignIns(member: UserScope): Promise<ToolSignIn[]> {
  const servers = await listServersWithSignIn(member);
  const tokens = await findTokens(member, servers);
  return servers.map((server) => {
    const token = findTokenOf(tokens, server, member.userId);
    return {
      server_id: server.id,
      server_name: server.name,
      type: server.auth.type as ToolSignIn["type"],
      signed_in: isUsable(token),
      expires_at: token && !token.can_refresh ? token.expires_at : null,
    };
  });
}
